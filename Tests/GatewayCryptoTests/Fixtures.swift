/// Private keys made for these tests alone.
enum Fixtures {
  static let p384PrivateKey = """
    -----BEGIN PRIVATE KEY-----
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDAQOWvwi57lPGhcKUoU
    UvGgWzuc/MvdnqVN94F/kGKD85W6Aj7jUnBcxLPxgyW4S36hZANiAAQzmo+eVS+c
    1gKmdOnVU+KJIr63YxRgvqfD4KzuOV+4ekDNS+qSuE5i4mMUcsr68xTE/63hu1O9
    btZn4N7Bee2OzhykYUnYqR/WAIyJlDyILiZmTneHacvMb8oDpvVmV08=
    -----END PRIVATE KEY-----
    """

  static let ed25519PrivateKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEINGOKIb1e0P0JhdiNAefdPquZ7ctMs4ChxyuSJKkYe1n
    -----END PRIVATE KEY-----
    """

  static let encryptedPrivateKey = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAj5SBEuPMjcJgICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPkCkK0MUauin9HXwVi0owsEgZC1
    VdSAUr90v1vSxfmfuHmKiDFGL//jEP49n+vRsw99m1YXxPBG1dPVb3cLubZp6xSz
    aopOn4oz7/kUmYibD0G+qpSsJAdVOjGbP53EoR/amc2fSnI0CzbSnzBhvKIBpEp1
    3vvrMW5zJG3a95pBp/VcMUkCr+JcCC1XtJ1mue7e9vHERlw4dTHluj1vxrQs7LM=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  /// The modulus of an RSA key of 2,048 bits, as a JWK writes it; the exponent is 65,537.
  static let rsaModulus = """
    0HATfyYIN0XnxIB1YRFnnKiY1GP_4gA_tTQrEwCu4OccQ_tC7tMMrdC3IVize33iyw79d_wkhMbntFmits3mOwM65CUO6Fj1Mvtl\
    fBYN_i1OY3OyNwYskBFSR314RIV8mQeLcjsjnOI5BECs5oW2i4pbgBo5VgY0pRgNuHj_w49wHUziZnsP-I5L0sC424EemtU03TvB\
    wqOuN7DY41xO472T8JKLtfFwBoL8o4eNIwb5xTBnteFOuVyWG0ytikwycyiLylepvjFBVrIqIkp8JmAvM--dnR_exxNQQ2xnKxqq\
    5pv6ro8q9Dwsqh2dGKpjqksHn7fjDL3pDF4EwKzoBQ
    """

  /// The modulus of an RSA key of 1,024 bits.
  static let shortRSAModulus = """
    zfw9ku7qYwZYyPeiC50EWihkmM_0AJfs40zevU1OYW26MVyeaSluAr1xyTHbhkOmm93wkU7Gto6Tay3cNsn2_RQqu8D0FgmvH0gx\
    QYqEjZ9MK9VxVFEjhl5KihdT0c9Wjae4QDSjJkeUb8tw_ukSo2C40pKR1vPplyjZvKkovRc
    """

  /// A token `{"sub":"user"}` that the key of `rsaModulus` signed with RS256; its `kid` is `rsa-1`.
  static let rs256Token = """
    eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJzdWIiOiJ1c2VyIn0.ykDCGXBT0VlIHQmFgxgJDV2Mrc1Xw1e-kRx1LokV\
    pgEaXewCXIAGqUu1ensfnrd-9IXBRL0iA2fZJNDvnt7Bl4kJaWHDaP8sewmzywVE2PAr9lk08gesvCOUJr2D45rCNLo-oih9sVW6\
    vxwPE2f2eB2qZDYDQP2Ib-L0koNkOVD82r1u8rkxYhqcMPSppVJV4jlGCTEZYld2iyMk5hj_poh5dAagX_RF0N5J3VA65CCDP6so\
    OyDHHP5t9snw-D60LbZd0BewAJ0MiOeZbp-t7P95NjzXuSd8qoo5CVodcOddsjsv8Riluz0D2BndIShCvTbMMF6AbDZdvrpgBpAW\
    VQ
    """
}

"""ES256 tokens for the peers that issue none, of the same shape and size as the gateway's own."""

from __future__ import annotations

import base64
import ctypes
import ctypes.util
import json
import secrets
import subprocess
import time
import uuid
from collections.abc import Mapping
from pathlib import Path

from harness.processes import Failure

ISSUER = "http://localhost:8080"
AUDIENCE = "1"
KEY_ID = "2026-12-01-0123456789"


class Signer:
    """A P-256 private key in a PEM file.

    libcrypto is called directly: a command for each token would take too long.
    """

    def __init__(self, private: Path) -> None:
        self._crypto = _libcrypto()
        text = private.read_bytes()
        source = self._crypto.BIO_new_mem_buf(text, len(text))
        self._key = self._crypto.PEM_read_bio_PrivateKey(source, None, None, None)
        self._crypto.BIO_free(source)
        if not self._key:
            raise Failure(f"{private.name} holds no private key that libcrypto can read")

    @staticmethod
    def make(folder: Path, name: str) -> Signer:
        """A new key; its public half goes to `NAME.pem`."""
        private = folder / f"{name}.key"
        public = folder / f"{name}.pem"
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(private))
        _openssl("pkey", "-in", str(private), "-pubout", "-out", str(public))
        signer = Signer(private)
        signer.public = public
        return signer

    public: Path
    """The public key in PEM form, of a key that was made here."""

    def token(self, *, lifetime: int = 7 * 86_400) -> str:
        """A token that ends `lifetime` seconds from now; negative for one that has ended."""
        now = int(time.time())
        header = {"alg": "ES256", "kid": KEY_ID, "typ": "at+jwt"}
        claims = {
            "iss": ISSUER, "sub": secrets.token_hex(16), "aud": AUDIENCE, "iat": now, "exp": now + lifetime,
            "jti": secrets.token_hex(16), "role": "app-user", "local": True, "uuid": str(uuid.uuid4())}
        return self._signed(f"{_part(header)}.{_part(claims)}")

    def renewed(self, token: str) -> str:
        """The same header and claims under a new `jti`."""
        header, claims, _ = token.split(".")
        renewed = json.loads(_decoded(claims)) | {"jti": secrets.token_hex(16)}
        return self._signed(f"{header}.{_part(renewed)}")

    def jwks(self) -> str:
        """The public key as a JWK set (RFC 7517)."""
        # An uncompressed point is the last 65 bytes of the DER form: 4, x, y.
        point = _openssl("pkey", "-pubin", "-in", str(self.public), "-outform", "DER")[-64:]
        key = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": KEY_ID,
               "x": _encoded(point[:32]), "y": _encoded(point[32:])}
        return json.dumps({"keys": [key]})

    def _signed(self, text: str) -> str:
        data = text.encode()
        signature = ctypes.create_string_buffer(128)
        length = ctypes.c_size_t(len(signature))
        context = self._crypto.EVP_MD_CTX_new()
        done = self._crypto.EVP_DigestSignInit(context, None, self._crypto.EVP_sha256(), None, self._key) == 1
        done = done and self._crypto.EVP_DigestSign(context, signature, ctypes.byref(length), data, len(data)) == 1
        self._crypto.EVP_MD_CTX_free(context)
        if not done:
            raise Failure("libcrypto could not sign a token")
        return f"{text}.{_encoded(_raw_signature(signature.raw[:length.value]))}"


def tampered(token: str) -> str:
    """The token with one character of its signature changed."""
    head, claims, signature = token.split(".")
    return f"{head}.{claims}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


def unsigned(token: str) -> str:
    """The token's claims under `alg: none`, without a signature."""
    return f"{_part({'alg': 'none', 'typ': 'at+jwt'})}.{token.split('.')[1]}."


def _libcrypto() -> ctypes.CDLL:
    name = ctypes.util.find_library("crypto")
    if name is None:
        raise Failure("libcrypto is not installed (Debian: apt-get install libssl3)")
    library = ctypes.CDLL(name)
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    for function, result, arguments in (
        ("BIO_new_mem_buf", pointer, [ctypes.c_char_p, ctypes.c_int]),
        ("BIO_free", ctypes.c_int, [pointer]),
        ("PEM_read_bio_PrivateKey", pointer, [pointer] * 4),
        ("EVP_sha256", pointer, []),
        ("EVP_MD_CTX_new", pointer, []),
        ("EVP_MD_CTX_free", None, [pointer]),
        ("EVP_DigestSignInit", ctypes.c_int, [pointer] * 5),
        ("EVP_DigestSign", ctypes.c_int, [pointer, ctypes.c_char_p, pointer, ctypes.c_char_p, size]),
    ):
        declared = getattr(library, function)
        declared.restype, declared.argtypes = result, arguments
    return library


def _raw_signature(der: bytes) -> bytes:
    """r and s of 32 bytes each (RFC 7518 section 3.4) out of the ASN.1 sequence of two integers that OpenSSL writes."""
    raw, rest = b"", der[2:]
    for _ in range(2):
        size = rest[1]
        raw += int.from_bytes(rest[2:2 + size], "big").to_bytes(32, "big")
        rest = rest[2 + size:]
    return raw


def _part(value: Mapping[str, object]) -> str:
    return _encoded(json.dumps(value, separators=(",", ":")).encode())


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], capture_output=True, check=True).stdout

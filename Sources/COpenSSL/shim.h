#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What Swift can't reach: variadic functions, macros, and parameter lists that keep the pointers of their names.

static inline EVP_PKEY *copenssl_generate_p256(void) { return EVP_EC_gen("P-256"); }

// With the public exponent 65,537.
static inline EVP_PKEY *copenssl_generate_rsa(unsigned bits) { return EVP_RSA_gen(bits); }

static inline EVP_PKEY *copenssl_public_key(const char *type, OSSL_PARAM *params) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (context && EVP_PKEY_fromdata_init(context) == 1 &&
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  return key;
}

// Both numbers as the machine's own little-endian bytes, as OSSL_PARAM wants them.
static inline EVP_PKEY *copenssl_rsa_public_key(unsigned char *n, size_t n_count, unsigned char *e, size_t e_count) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, n, n_count),
      OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_E, e, e_count),
      OSSL_PARAM_construct_end(),
  };
  return copenssl_public_key("RSA", params);
}

// `point` is 65 bytes: 4, x, y (SEC 1 section 2.3.3). A point off the curve gives NULL.
static inline EVP_PKEY *copenssl_p256_public_key(unsigned char *point) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, 65),
      OSSL_PARAM_construct_end(),
  };
  return copenssl_public_key("EC", params);
}

static inline int copenssl_no_password(char *buffer, int size, int writing, void *context) {
  (void)buffer, (void)size, (void)writing, (void)context;
  return -1;
}

// Never asks on the terminal: an encrypted key is refused.
static inline EVP_PKEY *copenssl_read_private_key(BIO *bio) {
  return PEM_read_bio_PrivateKey(bio, NULL, copenssl_no_password, NULL);
}

static inline size_t copenssl_memory(BIO *bio, char **bytes) {
  long count = BIO_get_mem_data(bio, bytes);
  return count > 0 ? (size_t)count : 0;
}

// A chain is read certificate by certificate, and the end of the file is told by an error: NULL for both.
static inline X509 *copenssl_read_certificate(BIO *bio) {
  return PEM_read_bio_X509(bio, NULL, copenssl_no_password, NULL);
}

static inline int copenssl_is_end_of_pem(void) {
  unsigned long error = ERR_peek_last_error();
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

static inline int copenssl_reason(unsigned long error) { return ERR_GET_REASON(error); }

static inline int copenssl_is_ssl_error(unsigned long error) { return ERR_GET_LIB(error) == ERR_LIB_SSL; }

static inline const char *copenssl_ssl_reason_text(int reason) {
  return ERR_reason_error_string(ERR_PACK(ERR_LIB_SSL, 0, reason));
}

static inline void copenssl_free_names(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

static inline GENERAL_NAMES *copenssl_names(X509 *certificate) {
  return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline int copenssl_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

// The bytes of a dNSName; NULL for a name of another kind.
static inline const unsigned char *copenssl_dns_name(const GENERAL_NAMES *names, int index, int *count) {
  const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
  if (!name || name->type != GEN_DNS) return NULL;
  *count = ASN1_STRING_length(name->d.dNSName);
  return ASN1_STRING_get0_data(name->d.dNSName);
}

static inline int copenssl_set_protocol_range(SSL_CTX *context, int least, int most) {
  return SSL_CTX_set_min_proto_version(context, least) && SSL_CTX_set_max_proto_version(context, most);
}

static inline int copenssl_set_groups(SSL_CTX *context, const char *groups) {
  return SSL_CTX_set1_groups_list(context, groups) == 1;
}

// A client that prefers ChaCha20 has no AES in hardware and gets it.
static inline void copenssl_set_usual_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA);
}

static inline void copenssl_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }

static inline void copenssl_set_cache_mode(SSL_CTX *context, long mode) { SSL_CTX_set_session_cache_mode(context, mode); }

static inline void copenssl_set_server_name(SSL *session, const char *name) {
  SSL_set_tlsext_host_name(session, name);
}

static inline int copenssl_add_to_chain(SSL_CTX *context, X509 *certificate) {
  return SSL_CTX_add1_chain_cert(context, certificate) == 1;
}

typedef int (*copenssl_server_name_callback)(SSL *, int *, void *);

static inline void copenssl_set_server_name_callback(SSL_CTX *context, copenssl_server_name_callback callback) {
  SSL_CTX_set_tlsext_servername_callback(context, callback);
}

// HMAC with SHA-256.
static inline int copenssl_key_mac(EVP_MAC_CTX *mac, unsigned char *key, size_t count) {
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, count),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
      OSSL_PARAM_construct_end(),
  };
  return EVP_MAC_CTX_set_params(mac, params);
}

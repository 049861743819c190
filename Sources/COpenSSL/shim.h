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
#include <openssl/rsa.h>

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

#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl_easy_setopt and curl_easy_getinfo are variadic, which Swift can't call.

typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
  return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// The bytes are copied.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, size_t count) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  return result ? result : curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes);
}

static inline CURLcode ccurl_set_sink(CURL *handle, ccurl_sink sink, void *context) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, sink);
  return result ? result : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

// The list is kept by the caller.
static inline CURLcode ccurl_set_recipients(CURL *handle, struct curl_slist *recipients) {
  return curl_easy_setopt(handle, CURLOPT_MAIL_RCPT, recipients);
}

static inline CURLcode ccurl_set_source(CURL *handle, ccurl_sink source, void *context) {
  CURLcode result = curl_easy_setopt(handle, CURLOPT_READFUNCTION, source);
  return result ? result : curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

static inline long ccurl_status(CURL *handle) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

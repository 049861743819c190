#pragma once
#include <nghttp2/nghttp2.h>

// A frame is a union, of which Swift reads a member by copying the whole.

static inline int32_t cnghttp2_stream(const nghttp2_frame *frame) { return frame->hd.stream_id; }
static inline uint8_t cnghttp2_type(const nghttp2_frame *frame) { return frame->hd.type; }
static inline uint8_t cnghttp2_flags(const nghttp2_frame *frame) { return frame->hd.flags; }
static inline uint32_t cnghttp2_reset_code(const nghttp2_frame *frame) { return frame->rst_stream.error_code; }
static inline uint32_t cnghttp2_goaway_code(const nghttp2_frame *frame) { return frame->goaway.error_code; }

// Without a reader the stream ends with its head.

static inline int cnghttp2_submit_response(nghttp2_session *session, int32_t stream, const nghttp2_nv *fields,
                                           size_t count, nghttp2_data_source_read_callback reader) {
  nghttp2_data_provider provider = {.read_callback = reader};
  return nghttp2_submit_response(session, stream, fields, count, reader ? &provider : NULL);
}

static inline int32_t cnghttp2_submit_request(nghttp2_session *session, const nghttp2_nv *fields, size_t count,
                                              nghttp2_data_source_read_callback reader, void *record) {
  nghttp2_data_provider provider = {.read_callback = reader};
  return nghttp2_submit_request(session, NULL, fields, count, reader ? &provider : NULL, record);
}

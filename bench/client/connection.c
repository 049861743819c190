// One keep-alive connection: sends a request and reads its answer.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "load.h"

static int poller;
static SSL_CTX *context;

void connections_prepare(int with_poller) {
  poller = with_poller;
  if (!options.tls_name) return;
  context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  // In the order of browsers. The certificate is not judged, but its signature in the handshake is.
  SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  SSL_CTX_set_verify(context, SSL_VERIFY_NONE, NULL);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\x08http/1.1", 9);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE);
  handshake_prepare(context, poller);
}

int connect_to_peer(void) {
  int descriptor = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((unsigned short)options.port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("no connection");
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

SSL *new_session(SSL_CTX *with_context, int descriptor) {
  SSL *ssl = SSL_new(with_context);
  if (!ssl || !SSL_set_fd(ssl, descriptor) || !SSL_set_tlsext_host_name(ssl, options.tls_name)) fail("no TLS session");
  return ssl;
}

void connection_open(struct connection *connection) {
  connection->descriptor = connect_to_peer();
  if (options.tls_name) {
    connection->ssl = new_session(context, connection->descriptor);
    if (SSL_connect(connection->ssl) != 1) fail("a TLS handshake failed");
  }
  fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_ADD, connection->descriptor, &event);
}

// -1: would block. Fails on anything else that is no progress.
static ssize_t done(struct connection *connection, ssize_t count) {
  if (count > 0) return count;
  if (connection->ssl) {
    int error = SSL_get_error(connection->ssl, (int)count);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return -1;
  } else if (count < 0 && errno == EAGAIN) {
    return -1;
  }
  fail("a connection was closed");
}

static void wait_for_room(struct connection *connection, bool wanted) {
  if (connection->wants_room == wanted) return;
  connection->wants_room = wanted;
  struct epoll_event event = {.events = EPOLLIN | (wanted ? EPOLLOUT : 0u), .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_MOD, connection->descriptor, &event);
}

static enum progress send_request(struct connection *connection) {
  const struct request *request = connection->request;
  while (connection->sent < request->bytes) {
    const char *text = request->text + connection->sent;
    size_t bytes = request->bytes - connection->sent;
    ssize_t count = done(connection, connection->ssl ? SSL_write(connection->ssl, text, (int)bytes)
                                                     : send(connection->descriptor, text, bytes, MSG_NOSIGNAL));
    if (count < 0) {
      wait_for_room(connection, true);
      return WAITING;
    }
    connection->sent += (size_t)count;
  }
  wait_for_room(connection, false);
  connection->phase = READING_HEAD;
  connection->head_bytes = 0;
  return WAITING;
}

static void judge_head(struct connection *connection, const char *end) {
  const char *length = strcasestr(connection->head, "\r\ncontent-length:");
  if (strncmp(connection->head, "HTTP/1.1 200", 12)) {
    fprintf(stderr, "%.*s\n", (int)strcspn(connection->head, "\r"), connection->head);
    fail("a request was not answered with 200");
  }
  if (!length || length > end || strtoul(length + 17, NULL, 10) != options.answer_bytes)
    fail("an answer has not as many bytes as expected");
  size_t behind = connection->head_bytes - (size_t)(end + 4 - connection->head);
  if (behind > options.answer_bytes) fail("an answer is longer than it says");
  connection->body_left = options.answer_bytes - behind;
  connection->phase = READING_BODY;
}

static bool read_head(struct connection *connection) {
  char *at = connection->head + connection->head_bytes;
  size_t room = sizeof connection->head - 1 - connection->head_bytes;
  if (!room) fail("an answer's head is too long");
  ssize_t count = done(connection, connection->ssl ? SSL_read(connection->ssl, at, (int)room)
                                                   : recv(connection->descriptor, at, room, 0));
  if (count < 0) return false;
  connection->head_bytes += (size_t)count;
  connection->head[connection->head_bytes] = 0;
  char *end = strstr(connection->head, "\r\n\r\n");
  if (end) judge_head(connection, end);
  return true;
}

static bool read_body(struct connection *connection) {
  static char unread[64 * 1024];
  size_t left = connection->body_left, most = left < sizeof unread ? left : sizeof unread;
  // The kernel throws a plain body away: a client that copied it would be busier than the proxies.
  ssize_t count = done(connection, connection->ssl ? SSL_read(connection->ssl, unread, (int)most)
                                                   : recv(connection->descriptor, NULL, left, MSG_TRUNC));
  if (count > 0) connection->body_left -= (size_t)count;
  return count > 0;
}

enum progress connection_begin(struct connection *connection, uint64_t begun) {
  connection->begun = begun;
  connection->request = requests_next();
  connection->sent = 0;
  connection->phase = SENDING;
  return send_request(connection);
}

enum progress connection_go_on(struct connection *connection) {
  if (connection->phase == FREE) fail("bytes came that nobody asked for, or a connection was closed");
  if (connection->phase == SENDING) return send_request(connection);
  while (connection->phase == READING_HEAD)
    if (!read_head(connection)) return WAITING;
  while (connection->body_left)
    if (!read_body(connection)) return WAITING;
  connection->phase = FREE;
  return DONE;
}

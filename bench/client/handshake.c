// Full TLS 1.3 handshakes: connect, handshake, close_notify both ways, no request and no session resumed.
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"

static int poller;
static SSL_CTX *context;

void handshake_prepare(SSL_CTX *with_context, int with_poller) {
  context = with_context;
  poller = with_poller;
}

enum progress handshake_begin(struct connection *connection, uint64_t begun) {
  connection->begun = begun;
  connection->descriptor = connect_to_peer();
  fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
  connection->ssl = new_session(context, connection->descriptor);
  SSL_set_connect_state(connection->ssl);
  connection->phase = SHAKING_HANDS;
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_ADD, connection->descriptor, &event);
  return handshake_go_on(connection);
}

// The peer has worked the handshake off when it closes, as it then has read what came behind it.
static enum progress await_close(struct connection *connection) {
  static char unread[16 * 1024];
  ssize_t count;
  while ((count = recv(connection->descriptor, unread, sizeof unread, 0)) > 0) continue;
  if (count < 0 && errno == EAGAIN) return WAITING;
  SSL_free(connection->ssl);
  close(connection->descriptor);
  connection->ssl = NULL;
  connection->phase = FREE;
  return DONE;
}

enum progress handshake_go_on(struct connection *connection) {
  if (connection->phase == FREE) return WAITING;
  if (connection->phase == CLOSING) return await_close(connection);
  int result = SSL_do_handshake(connection->ssl);
  if (result != 1) {
    int error = SSL_get_error(connection->ssl, result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return WAITING;
    fail("a TLS handshake failed");
  }
  if (SSL_version(connection->ssl) != TLS1_3_VERSION || SSL_session_reused(connection->ssl))
    fail("a TLS handshake was not a full one of version 1.3");
  SSL_shutdown(connection->ssl);
  shutdown(connection->descriptor, SHUT_WR);
  connection->phase = CLOSING;
  return await_close(connection);
}

// The backend of all peers: answers every request with 1 KiB, and costs so little that the proxies are what is busy.
// Usage: backend PORT. One thread; GET only; a client has one request under way at a time, as a proxy's connection does.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BODY_BYTES = 1024, CONNECTIONS = 65536, EVENTS = 256 };

static char answer[BODY_BYTES + 256];
static size_t answer_bytes;
static const char head_end[] = "\r\n\r\n";
// Bytes of `head_end` that a connection's input ends with so far.
static unsigned char matched[CONNECTIONS];

static void make_answer(void) {
  answer_bytes = (size_t)sprintf(
      answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", BODY_BYTES);
  memset(answer + answer_bytes, 'x', BODY_BYTES);
  answer_bytes += BODY_BYTES;
}

static int listen_on(int port) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
    perror("backend");
    exit(1);
  }
  return listener;
}

static void watch(int poller, int descriptor) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
  epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

static void accept_one(int poller, int listener) {
  int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK), on = 1;
  if (client < 0) return;
  if (client >= CONNECTIONS) {
    close(client);
    return;
  }
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  matched[client] = 0;
  watch(poller, client);
}

// Whether a head ends with these bytes.
static int ends_head(int client, const char *bytes, size_t count) {
  if (!matched[client] && count >= 4 && !memcmp(bytes + count - 4, head_end, 4)) return 1;
  for (size_t index = 0; index < count; index++) {
    if (bytes[index] == head_end[matched[client]])
      matched[client]++;
    else
      matched[client] = bytes[index] == '\r';
    if (matched[client] == 4) {
      matched[client] = 0;
      return 1;
    }
  }
  return 0;
}

static void serve(int client) {
  static char input[64 * 1024];
  ssize_t count = recv(client, input, sizeof input, 0);
  if (count <= 0)
    close(client);
  else if (ends_head(client, input, (size_t)count))
    send(client, answer, answer_bytes, MSG_NOSIGNAL);
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  make_answer();
  int listener = listen_on(atoi(arguments[1])), poller = epoll_create1(0);
  watch(poller, listener);
  for (;;) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(poller, events, EVENTS, -1);
    for (int index = 0; index < ready; index++) {
      if (events[index].data.fd == listener)
        accept_one(poller, listener);
      else
        serve(events[index].data.fd);
    }
  }
}

// The backend of all peers: answers with as many bytes as the path says, swallows what is posted, and costs so little
// that the proxies are what is busy.
//
// Usage: backend PORT [BEARERS]. With BEARERS, a file of tokens one a line, it stands for a service that checks tokens
// and knows the good ones by heart: a request with another token, or none, gets 401.
// One thread; HTTP/1.1 with Content-Length only; a connection has one request under way at a time, as a proxy's does.
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 65536, EVENTS = 256, INPUT = 32 * 1024, SMALL = 1024, LARGEST = 1024 * 1024, TOKENS = 65536 };

struct answer {
  const char *path;
  size_t body_bytes;
  // The head, and behind it the body where that is small.
  char text[SMALL + 256];
  size_t text_bytes;
};

static struct answer answers[] = {
    {.path = "/v1/files/1m", .body_bytes = LARGEST},
    {.path = "/v1/files/64k", .body_bytes = 64 * 1024},
    {.path = "/auth", .body_bytes = 0},
    {.path = "/", .body_bytes = SMALL},
};
static const char denied[] = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";

// A large body is sent from memory that no send has to copy.
static int body_file;

static struct connection {
  // Input of a head that came in pieces.
  char *partial;
  size_t partial_bytes;
  // Bytes of the request's body that have not come yet.
  size_t to_swallow;
  // The answer to send once the body is here, or that is being sent.
  struct answer *answer;
  off_t sent;
} connections[CONNECTIONS];

static bool checks_tokens;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void make_answers(void) {
  body_file = memfd_create("body", MFD_CLOEXEC);
  if (body_file < 0 || ftruncate(body_file, LARGEST)) die("backend: memory");
  char *body = mmap(NULL, LARGEST, PROT_WRITE, MAP_SHARED, body_file, 0);
  if (body == MAP_FAILED) die("backend: memory");
  memset(body, 'x', LARGEST);
  munmap(body, LARGEST);
  for (size_t index = 0; index < sizeof answers / sizeof *answers; index++) {
    struct answer *answer = &answers[index];
    answer->text_bytes = (size_t)sprintf(
        answer->text, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-User: bench\r\nContent-Length: %zu\r\n\r\n",
        answer->body_bytes);
    if (answer->body_bytes <= SMALL) {
      memset(answer->text + answer->text_bytes, 'x', answer->body_bytes);
      answer->text_bytes += answer->body_bytes;
    }
  }
}

static void read_bearers(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file || !hcreate(TOKENS * 2)) die(path);
  char line[4096];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (!hsearch((ENTRY){.key = strdup(line), .data = NULL}, ENTER)) die(path);
  }
  fclose(file);
  checks_tokens = true;
}

static int listen_on(int port) {
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons((unsigned short)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) die("backend: listen");
  return listener;
}

static void watch(int poller, int descriptor, uint32_t events) {
  struct epoll_event event = {.events = events, .data.fd = descriptor};
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
  // No pacing of large answers, whatever the system does by default.
  setsockopt(client, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
  connections[client] = (struct connection){0};
  watch(poller, client, EPOLLIN | EPOLLOUT | EPOLLET);
}

static void drop(int client) {
  free(connections[client].partial);
  close(client);
}

// The value of a header field; NULL where there is none. `head` ends with NUL.
static const char *field(const char *head, const char *name) {
  const char *line = strcasestr(head, name);
  return line ? line + strlen(name) : NULL;
}

static bool has_good_token(const char *head) {
  const char *value = field(head, "\r\nauthorization: bearer ");
  if (!value) return false;
  char token[4096];
  size_t length = strcspn(value, "\r");
  if (length >= sizeof token) return false;
  memcpy(token, value, length);
  token[length] = 0;
  return hsearch((ENTRY){.key = token}, FIND) != NULL;
}

static struct answer *answer_for(const char *head) {
  const char *target = strchr(head, ' ');
  for (struct answer *answer = answers;; answer++)
    if (answer->path[1] == 0 || (target && !strncmp(target + 1, answer->path, strlen(answer->path)))) return answer;
}

// Sends what there is room for; the rest goes when the socket says that it has room again.
static void send_answer(int client) {
  struct connection *connection = &connections[client];
  struct answer *answer = connection->answer;
  bool separate = answer->body_bytes > SMALL;
  while ((size_t)connection->sent < answer->text_bytes) {
    ssize_t count = send(client, answer->text + connection->sent, answer->text_bytes - (size_t)connection->sent,
                         MSG_NOSIGNAL | (separate ? MSG_MORE : 0));
    if (count < 0) return;
    connection->sent += count;
  }
  while (separate) {
    off_t offset = connection->sent - (off_t)answer->text_bytes;
    size_t left = answer->body_bytes - (size_t)offset;
    if (!left) break;
    ssize_t count = sendfile(client, body_file, &offset, left);
    if (count < 0) return;
    connection->sent += count;
  }
  connection->answer = NULL;
}

// A head ends at `end`, where a NUL has been put; `rest` bytes have come behind it.
static void head_came(int client, char *head, size_t rest) {
  struct connection *connection = &connections[client];
  if (checks_tokens && !has_good_token(head)) {
    send(client, denied, sizeof denied - 1, MSG_NOSIGNAL);
    return;
  }
  const char *length = *head == 'P' ? field(head, "\r\ncontent-length:") : NULL;
  size_t body = length ? strtoul(length, NULL, 10) : 0;
  connection->to_swallow = body > rest ? body - rest : 0;
  connection->answer = answer_for(head);
  connection->sent = 0;
  if (!connection->to_swallow) send_answer(client);
}

// Keeps a piece of a head until the rest is here. Whether the connection may live.
static bool keep(struct connection *connection, const char *input, size_t count) {
  if (count >= INPUT) return false;
  char *copy = malloc(INPUT);
  if (!copy) return false;
  memcpy(copy, input, count);
  free(connection->partial);
  connection->partial = copy;
  connection->partial_bytes = count;
  return true;
}

// Reads once. 1: there may be more; 0: drained; -1: the connection is to be dropped.
static int receive(int client) {
  static char input[INPUT + 1];
  struct connection *connection = &connections[client];
  if (connection->to_swallow) {
    ssize_t count = recv(client, NULL, connection->to_swallow, MSG_TRUNC);
    if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
    connection->to_swallow -= (size_t)count;
    if (connection->to_swallow) return 1;
    send_answer(client);
    return 0;
  }
  size_t before = connection->partial_bytes;
  if (before) memcpy(input, connection->partial, before);
  ssize_t count = recv(client, input + before, INPUT - before, 0);
  if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
  size_t all = before + (size_t)count;
  input[all] = 0;
  char *end = strstr(input, "\r\n\r\n");
  if (!end) return keep(connection, input, all) ? 0 : -1;
  connection->partial_bytes = 0;
  end[2] = 0;
  head_came(client, input, all - (size_t)(end + 4 - input));
  return connection->to_swallow ? 1 : 0;
}

static void serve(int client, uint32_t events) {
  struct connection *connection = &connections[client];
  if (connection->answer && !connection->to_swallow && events & EPOLLOUT) send_answer(client);
  int state = events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? 1 : 0;
  while (state > 0) state = receive(client);
  if (state < 0) drop(client);
}

int main(int count, char **arguments) {
  if (count < 2 || count > 3) return 2;
  make_answers();
  if (count == 3) read_bearers(arguments[2]);
  int listener = listen_on(atoi(arguments[1])), poller = epoll_create1(0);
  watch(poller, listener, EPOLLIN);
  for (;;) {
    struct epoll_event events[EVENTS];
    int ready = epoll_wait(poller, events, EVENTS, -1);
    for (int index = 0; index < ready; index++) {
      if (events[index].data.fd == listener)
        accept_one(poller, listener);
      else
        serve(events[index].data.fd, events[index].events);
    }
  }
}

// A client over HTTP/1.1, with or without TLS, of which every request must be answered as expected.
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the whole program was told.
struct options {
  int port;
  // The name asked for in the TLS handshake; NULL: no TLS.
  const char *tls_name;
  // Each "request" is a full TLS 1.3 handshake on a connection of its own.
  bool handshakes;
  int connections;
  double seconds;
  // Requests a second, sent when they are due whatever is still unanswered; 0: each connection asks again at once.
  double rate;
  // Bytes that each answer's body must have.
  size_t answer_bytes;
  const char *requests;
};
extern struct options options;

// A whole request as it goes out.
struct request {
  char *text;
  size_t bytes;
};

// requests.c
void requests_load(void);
// The next request in turn.
const struct request *requests_next(void);

// times.c: how long requests took, in nanoseconds.
struct times {
  uint64_t *values;
  size_t count, room;
};
void times_add(struct times *times, uint64_t value);
// In microseconds; 0 where there are none. Sorts the values.
double times_percentile(struct times *times, double part);

// connection.c
enum phase { FREE, SHAKING_HANDS, CLOSING, SENDING, READING_HEAD, READING_BODY };
enum progress { WAITING, DONE };

struct connection {
  int descriptor;
  SSL *ssl;
  enum phase phase;
  const struct request *request;
  size_t sent;
  bool wants_room;
  // Monotonic nanoseconds from which the time of the request counts.
  uint64_t begun;
  char head[8192];
  size_t head_bytes;
  size_t body_left;
};

void connections_prepare(int poller);
// Opens a connection for requests, its handshake done; waits for that.
void connection_open(struct connection *connection);
enum progress connection_begin(struct connection *connection, uint64_t begun);
enum progress connection_go_on(struct connection *connection);

// handshake.c
void handshake_prepare(SSL_CTX *context, int poller);
enum progress handshake_begin(struct connection *connection, uint64_t begun);
enum progress handshake_go_on(struct connection *connection);

// A run with a failed request is no run: says why, and ends.
_Noreturn void fail(const char *what);
int connect_to_peer(void);
SSL *new_session(SSL_CTX *context, int descriptor);

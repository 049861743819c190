// Load for one peer. Says "ready" when its connections are open and each had an answer; begins at a line on standard
// input; says what it counted, as JSON, once all is answered; closes its connections and ends when the input ends.
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "load.h"

enum { EVENTS = 256, PATIENCE_SECONDS = 10 };
static const uint64_t second = 1000000000;

struct options options = {.connections = 1, .seconds = 1};
static struct connection *connections;
static struct connection **idle;
// The idle connections are a ring.
static int idle_first, idle_count, poller;
static struct times times;

void fail(const char *what) { errx(1, "%s", what); }

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * second + (uint64_t)time.tv_nsec;
}

// The one that has been idle longest, so that all are in use.
static struct connection *take_idle(void) {
  struct connection *connection = idle[idle_first];
  idle_first = (idle_first + 1) % options.connections;
  idle_count--;
  return connection;
}

static void add_idle(struct connection *connection) {
  idle[(idle_first + idle_count++) % options.connections] = connection;
}

static void ended(struct connection *connection) {
  times_add(&times, now() - connection->begun);
  add_idle(connection);
}

static void begin(struct connection *connection, uint64_t begun) {
  enum progress progress =
      options.handshakes ? handshake_begin(connection, begun) : connection_begin(connection, begun);
  if (progress == DONE) ended(connection);
}

// Requests go out from `start` on; none is due at `end` or later.
struct run {
  uint64_t start, end, issued;
};

// When the next request is due: now, or by the rate.
static uint64_t due(const struct run *run, uint64_t time) {
  return options.rate > 0 ? run->start + (uint64_t)((double)run->issued / options.rate * 1e9) : time;
}

static bool is_over(const struct run *run, uint64_t time) { return due(run, time) >= run->end; }

// Sends what is due now on idle connections, and says when the next one will be.
static uint64_t issue(struct run *run) {
  for (;;) {
    uint64_t time = now(), next = due(run, time);
    if (!idle_count || next > time || next >= run->end) return next;
    run->issued++;
    begin(take_idle(), next);
  }
}

// Sends until `end`, then waits until all is answered.
static void carry_out(struct run run) {
  for (;;) {
    uint64_t next = issue(&run), time = now(), pause = second;
    bool over = is_over(&run, time);
    if (over && idle_count == options.connections) return;
    if (time > run.end + PATIENCE_SECONDS * second) fail("requests were left without an answer");
    if (idle_count && !over) pause = next > time ? next - time : 0;
    struct timespec timeout = {.tv_sec = (time_t)(pause / second), .tv_nsec = (long)(pause % second)};
    struct epoll_event events[EVENTS];
    int count = epoll_pwait2(poller, events, EVENTS, &timeout, NULL);
    for (int index = 0; index < count; index++) {
      struct connection *connection = events[index].data.ptr;
      enum progress progress = options.handshakes ? handshake_go_on(connection) : connection_go_on(connection);
      if (progress == DONE) ended(connection);
      issue(&run);
    }
  }
}

// Has one request answered on each connection.
static void warm_up(void) {
  for (int index = 0; index < options.connections; index++) begin(take_idle(), now());
  carry_out((struct run){.start = now(), .end = now()});
}

static void read_options(int count, char **arguments) {
  static const struct option names[] = {
      {"port", required_argument, NULL, 'p'},        {"tls", required_argument, NULL, 't'},
      {"handshakes", no_argument, NULL, 'h'},        {"connections", required_argument, NULL, 'c'},
      {"seconds", required_argument, NULL, 's'},     {"rate", required_argument, NULL, 'r'},
      {"answer-bytes", required_argument, NULL, 'b'}, {"requests", required_argument, NULL, 'q'},
      {0}};
  int name;
  while ((name = getopt_long(count, arguments, "", names, NULL)) != -1) {
    switch (name) {
      case 'p': options.port = atoi(optarg); break;
      case 't': options.tls_name = optarg; break;
      case 'h': options.handshakes = true; break;
      case 'c': options.connections = atoi(optarg); break;
      case 's': options.seconds = atof(optarg); break;
      case 'r': options.rate = atof(optarg); break;
      case 'b': options.answer_bytes = strtoul(optarg, NULL, 10); break;
      case 'q': options.requests = optarg; break;
      default: exit(2);
    }
  }
  if (!options.port || options.connections < 1 || !(options.handshakes || options.requests))
    errx(2, "--port and --requests or --handshakes are needed");
}

int main(int count, char **arguments) {
  read_options(count, arguments);
  signal(SIGPIPE, SIG_IGN);
  // Requests by a rate go out when they are due, not up to 50 µs later.
  prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
  poller = epoll_create1(0);
  connections_prepare(poller);
  if (options.requests) requests_load();
  connections = calloc((size_t)options.connections, sizeof *connections);
  idle = calloc((size_t)options.connections, sizeof(struct connection *));
  if (!connections || !idle) fail("out of memory");
  for (int index = 0; index < options.connections; index++) {
    if (!options.handshakes) connection_open(&connections[index]);
    add_idle(&connections[index]);
  }
  warm_up();
  times.count = 0;
  puts("ready");
  fflush(stdout);
  if (getchar() == EOF) return 1;
  uint64_t start = now();
  carry_out((struct run){.start = start, .end = start + (uint64_t)(options.seconds * 1e9)});
  double elapsed = (double)(now() - start) / 1e9;
  printf("{\"requests\": %zu, \"seconds\": %.6f, \"p50\": %.1f, \"p99\": %.1f}\n", times.count, elapsed,
         times_percentile(&times, 0.5), times_percentile(&times, 0.99));
  fflush(stdout);
  while (getchar() != EOF) continue;
  return 0;
}

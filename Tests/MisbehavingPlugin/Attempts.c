// What a plugin of ill will would try, each as one call of the system: 0 where it could, else errno.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int outcome(long result) { return result < 0 ? errno : 0; }

static int opening(const char *path, int flags) {
  int descriptor = open(path, flags | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno;
  char byte;
  int result = flags == O_RDONLY ? outcome(read(descriptor, &byte, 1)) : 0;
  close(descriptor);
  return result;
}

// What a thread could do that was made while the library was loaded.
static int early = -1;
static void *try_early(void *nothing) {
  early = opening("/etc/passwd", O_RDONLY);
  return nothing;
}
__attribute__((constructor)) static void at_load(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, try_early, NULL) == 0) pthread_join(thread, NULL);
}

static int connecting(const char *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) return errno;
  return outcome(connect(descriptor, (struct sockaddr *)&address, sizeof address));
}

// Whether a descriptor is a file, a socket or a pipe.
static int having(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) < 0) return errno;
  return (status.st_mode & S_IFMT) == 0 ? ENXIO : 0;
}

static int reading_memory(void) {
  char byte;
  struct iovec here = {&byte, 1}, there = {&early, 1};
  return outcome(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
}

static int forking(void) {
  long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return outcome(child);
}

static int sharing(void) {
  return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0;
}

static int raising_limit(void) {
  struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
  return outcome(setrlimit(RLIMIT_DATA, &most));
}

// The name of an attempt, a space, and what it is about.
int attempt(const char *text) {
  size_t length = strcspn(text, " ");
  const char *about = text[length] == ' ' ? text + length + 1 : "";
#define NAMED(name) (length == sizeof(name) - 1 && strncmp(text, name, length) == 0)
  if (NAMED("read")) return opening(about, O_RDONLY);
  if (NAMED("write")) return opening(about, O_WRONLY | O_CREAT);
  if (NAMED("list")) return opendir(about) ? 0 : errno;
  if (NAMED("mode")) return outcome(chmod(about, 0777));
  if (NAMED("remove")) return outcome(unlink(about));
  if (NAMED("descriptor")) return having(atoi(about));
  if (NAMED("variable")) return getenv(about) ? 0 : ENOENT;
  if (NAMED("early")) return early;
  if (NAMED("connect")) return connecting(about);
  if (NAMED("unix")) return outcome(socket(AF_UNIX, SOCK_STREAM, 0));
  if (NAMED("execute")) return outcome(execl(about, about, NULL));
  if (NAMED("fork")) return forking();
  if (NAMED("trace")) return outcome(ptrace(PTRACE_SEIZE, getppid(), 0, 0));
  if (NAMED("memory")) return reading_memory();
  if (NAMED("kill")) return outcome(kill(getppid(), 0));
  if (NAMED("killGroup")) return outcome(kill(0, 0));
  if (NAMED("signalThread")) return outcome(syscall(SYS_tgkill, getppid(), getppid(), 0));
  if (NAMED("own")) return outcome(fcntl(3, F_SETOWN, getppid()));
  if (NAMED("raise")) return raising_limit();
  if (NAMED("outlive")) return outcome(prctl(PR_SET_PDEATHSIG, 0));
  if (NAMED("share")) return sharing();
  if (NAMED("file")) return outcome(memfd_create("file", 0));
  if (NAMED("namespace")) return outcome(unshare(CLONE_NEWUSER));
  // What is asked of no ring at all says whether there could be one.
  if (NAMED("ring")) return syscall(SYS_io_uring_setup, 1, (void *)0) < 0 && errno != EFAULT ? errno : 0;
  return -1;
}

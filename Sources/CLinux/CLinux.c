#define _GNU_SOURCE
#include "CLinux.h"
#include <linux/sockios.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

void clinux_set_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

ssize_t clinux_receive(int socket, void *bytes, size_t count) {
  return syscall(SYS_recvfrom, socket, bytes, count, 0, NULL, NULL);
}

ssize_t clinux_send(int socket, const void *bytes, size_t count) {
  return syscall(SYS_sendto, socket, bytes, count, MSG_NOSIGNAL, NULL, 0);
}

ssize_t clinux_send2(int socket, const void *a, size_t a_count, const void *b, size_t b_count) {
  struct iovec parts[2] = {{(void *)a, a_count}, {(void *)b, b_count}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  return syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL);
}

int clinux_queued_bytes(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

int clinux_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int clinux_spawn_isolated(posix_spawn_file_actions_t *actions, const char *folder) {
  int result = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  return result ? result : posix_spawn_file_actions_addchdir_np(actions, folder);
}

int clinux_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

char **clinux_environment(void) { return environ; }

#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int clinux_accept(int listener, struct sockaddr *address, socklen_t *length) {
  return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int clinux_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

void clinux_block_sigpipe(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
}

void clinux_set_thread_name(const char *name) { pthread_setname_np(pthread_self(), name); }

void clinux_lower_thread_priority(void) {
  // struct sched_attr, whose header can't be had beside <sched.h>.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes = {.size = sizeof attributes, .policy = SCHED_BATCH, .nice = 10, .runtime = 100 * 1000};
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

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

int clinux_unix_socket(int type) { return socket(AF_UNIX, type | SOCK_CLOEXEC, 0); }

int clinux_accept_blocking(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int clinux_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

int clinux_make_private(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

int clinux_peer_user(int socket, uid_t *user) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *user = peer.uid;
  return 0;
}

ssize_t clinux_send_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
  char control[CMSG_SPACE(sizeof(int) * CLINUX_DESCRIPTORS)] = {0};
  struct iovec part = {(void *)bytes, count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor_count > CLINUX_DESCRIPTORS) return -1;
  if (descriptor_count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t clinux_receive_descriptors(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count) {
  char control[CMSG_SPACE(sizeof(int) * CLINUX_DESCRIPTORS)];
  struct iovec part = {bytes, count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  *descriptor_count = 0;
  ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return got;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int held = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    for (int index = 0; index < held; index++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(header) + sizeof(int) * index, sizeof descriptor);
      if (*descriptor_count < CLINUX_DESCRIPTORS) descriptors[(*descriptor_count)++] = descriptor;
      else close(descriptor);
    }
  }
  return got;
}

int clinux_pipe(int ends[2]) { return pipe2(ends, O_NONBLOCK | O_CLOEXEC); }

ssize_t clinux_splice(int from, int to, size_t count) {
  return syscall(SYS_splice, from, NULL, to, NULL, count, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
}

int clinux_is_drained(int socket) {
  char byte;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

int clinux_queued_bytes(int socket) {
  int count = 0;
  return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

size_t clinux_heap_bytes(void) { return mallinfo2().uordblks; }

int clinux_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int clinux_inotify(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int clinux_watch_folder(int inotify, const char *folder) {
  return inotify_add_watch(
      inotify, folder,
      IN_ONLYDIR | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB |
          IN_DELETE_SELF | IN_MOVE_SELF);
}

int clinux_spawn_isolated(posix_spawn_file_actions_t *actions, const char *folder, int first) {
  int result = posix_spawn_file_actions_addclosefrom_np(actions, first);
  return result ? result : posix_spawn_file_actions_addchdir_np(actions, folder);
}

int clinux_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

char **clinux_environment(void) { return environ; }

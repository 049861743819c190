// What Swift's Glibc module lacks of Linux's system interface. No logic here.
#pragma once
#include <spawn.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

// accept4(2), with SOCK_NONBLOCK and SOCK_CLOEXEC.
int clinux_accept(int listener, struct sockaddr *address, socklen_t *length);
// eventfd(2), nonblocking and close-on-exec.
int clinux_eventfd(void);
// socket(2) for a stream, nonblocking and close-on-exec.
int clinux_stream_socket(int family);
// Keeps SIGPIPE from the calling thread: splice(2) has no MSG_NOSIGNAL.
void clinux_block_sigpipe(void);
// The calling thread's name, 15 bytes at most.
void clinux_set_thread_name(const char *name);
// Has the calling thread give way (sched_setattr(2)): where others compete for its processor it gets a tenth of what
// they get, and it is interrupted for them after 0.1 ms, where the kernel can do that (Linux 6.12).
void clinux_lower_thread_priority(void);
// recv(2), send(2) and sendmsg(2) without SIGPIPE, and without the C library's cancellation points, which cost two
// atomic operations a call in a process with threads. No thread of this program is ever cancelled.
ssize_t clinux_receive(int socket, void *bytes, size_t count);
ssize_t clinux_send(int socket, const void *bytes, size_t count);
ssize_t clinux_send2(int socket, const void *a, size_t a_count, const void *b, size_t b_count);
// socket(2) of AF_UNIX, close-on-exec.
int clinux_unix_socket(int type);
// accept4(2), blocking and close-on-exec.
int clinux_accept_blocking(int listener);
// fcntl(2), F_DUPFD_CLOEXEC.
int clinux_duplicate(int descriptor);
// Makes a descriptor nonblocking and close-on-exec.
int clinux_make_private(int descriptor);
// The user at the other end of a Unix socket (unix(7), SO_PEERCRED); -1 where it can't be told.
int clinux_peer_user(int socket, uid_t *user);
// Descriptors in one message of the next two, at most.
enum { CLINUX_DESCRIPTORS = 64 };
// sendmsg(2) and recvmsg(2) with descriptors beside the bytes (unix(7), SCM_RIGHTS); those received are close-on-exec.
ssize_t clinux_send_descriptors(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count);
ssize_t clinux_receive_descriptors(int socket, void *bytes, size_t count, int *descriptors, int *descriptor_count);
// pipe2(2), nonblocking and close-on-exec.
int clinux_pipe(int ends[2]);
// splice(2) without waiting: moves bytes between a pipe and a socket.
ssize_t clinux_splice(int from, int to, size_t count);
// Whether recv(2) would find nothing: 1 for nothing now, 0 for bytes, an end or a failure.
int clinux_is_drained(int socket);
// Bytes sent that the peer has not acknowledged (tcp(7), SIOCOUTQ).
int clinux_queued_bytes(int socket);
// Bytes that malloc(3) has handed out and not got back (mallinfo2(3)).
size_t clinux_heap_bytes(void);
// inotify_init1(2), nonblocking and close-on-exec.
int clinux_inotify(void);
// inotify_add_watch(2) for all that changes which files a folder has and what is in them.
int clinux_watch_folder(int inotify, const char *folder);
// pidfd_open(2): a descriptor that becomes readable when the process ends; close-on-exec.
int clinux_pidfd_open(pid_t process);

// posix_spawn(3) actions: the child works in `folder` and inherits no descriptor from `first` on.
int clinux_spawn_isolated(posix_spawn_file_actions_t *actions, const char *folder, int first);
// Processors that the process may run on (sched_getaffinity(2)).
int clinux_processors(void);
// environ(7): `NAME=value` each, NULL at the end.
char **clinux_environment(void);
// landlock(7): from now on the calling thread, the threads and processes that it makes and what it executes open no file
// but to read or execute what is at or below these paths, and to read in /proc what is about no other process's memory;
// they reach no TCP port, and signal and connect to nobody outside. Returns the version of the kernel's Landlock, 0 where
// it has none, and -1 where it could not be done.
int clinux_confine_files(const char *const *readable, int count);
// seccomp(2): from now on the threads of this process, of which there must be one, may compute, and use files and
// descriptors that they get to; they make no sockets and no processes, and have no capabilities(7). Returns -1 where it
// could not be done.
int clinux_confine_calls(void);
// prctl(2), PR_SET_PDEATHSIG: this process is killed when the thread that started it ends.
int clinux_end_with_parent(void);
// prctl(2), PR_SET_DUMPABLE: no image is kept of this process when it crashes, and no other one traces it.
int clinux_forbid_images(void);

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
// The calling thread's name, 15 bytes at most.
void clinux_set_thread_name(const char *name);
// recv(2), send(2) and sendmsg(2) without SIGPIPE, and without the C library's cancellation points, which cost two
// atomic operations a call in a process with threads. No thread of this program is ever cancelled.
ssize_t clinux_receive(int socket, void *bytes, size_t count);
ssize_t clinux_send(int socket, const void *bytes, size_t count);
ssize_t clinux_send2(int socket, const void *a, size_t a_count, const void *b, size_t b_count);
// Bytes sent that the peer has not acknowledged (tcp(7), SIOCOUTQ).
int clinux_queued_bytes(int socket);
// pidfd_open(2): a descriptor that becomes readable when the process ends; close-on-exec.
int clinux_pidfd_open(pid_t process);

// posix_spawn(3) actions: the child works in `folder` and inherits only the standard descriptors.
int clinux_spawn_isolated(posix_spawn_file_actions_t *actions, const char *folder);
// Processors that the process may run on (sched_getaffinity(2)).
int clinux_processors(void);
// environ(7): `NAME=value` each, NULL at the end.
char **clinux_environment(void);

#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// <linux/landlock.h> of the oldest systems lacks the later members; the numbers are the same on all architectures.
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define VERSION_FLAG 1u
#define RULE_PATH_BENEATH 1
#define FS_EXECUTE (1ull << 0)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)

struct ruleset {
  uint64_t files, ports, scopes;
};

struct __attribute__((packed)) path_beneath {
  uint64_t allowed;
  int32_t parent;
};

// The kinds of access that a version knows: 13 at first, then REFER, TRUNCATE and IOCTL_DEV.
static uint64_t known_files(long version) {
  uint64_t known = (1ull << 13) - 1;
  if (version >= 2) known |= 1ull << 13;
  if (version >= 3) known |= 1ull << 14;
  if (version >= 5) known |= 1ull << 15;
  return known;
}

static int allow(int ruleset, const char *path, uint64_t file, uint64_t folder) {
  int descriptor = open(path, O_PATH | O_CLOEXEC);
  if (descriptor < 0) return 0; // What is not there need not be allowed.
  struct stat status;
  struct path_beneath rule = {file, descriptor};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) rule.allowed |= folder;
  long result = syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
  close(descriptor);
  return (int)result;
}

int clinux_confine_files(const char *const *readable, int count) {
  long version = syscall(CREATE_RULESET, NULL, 0, VERSION_FLAG);
  if (version < 1) return 0;
  struct ruleset rules = {known_files(version), version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  int ruleset = (int)syscall(CREATE_RULESET, &rules, size, 0);
  if (ruleset < 0) return -1;
  int result = 0;
  for (int index = 0; index < count && result == 0; index++)
    result = allow(ruleset, readable[index], FS_EXECUTE | FS_READ_FILE, FS_READ_DIR);
  // libdispatch reads the state of its threads, /proc/TID/stat, and ends the process where it can't. Memory, environment
  // and descriptors of other processes stay shut, as they count as tracing, which ends at the ruleset's bounds.
  if (result == 0) result = allow(ruleset, "/proc", FS_READ_FILE, 0);
  if (result == 0) result = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (result == 0) result = (int)syscall(RESTRICT_SELF, ruleset, 0);
  close(ruleset);
  return result == 0 ? (int)version : -1;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(number) ANSWER(SECCOMP_RET_ERRNO | (number))
#define IF_EQUAL(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))
#define ALLOW(call) IF_EQUAL(__NR_##call, 1), ANSWER(SECCOMP_RET_ALLOW)
// One value of an argument's lower half; all of these arguments are of 32 bits.
#define ALLOW_VALUE(value) IF_EQUAL((uint32_t)(value), 1), ANSWER(SECCOMP_RET_ALLOW)
// What follows, `count` instructions, is about one call and ends in an answer.
#define OF_CALL(call, argument, count) IF_EQUAL(__NR_##call, (count) + 1), LOAD(args[argument])
// The lower half of an argument has one of these bits: the next instruction, else the one behind it.
#define IF_BITS(bits) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1)

// Gives up what root may do beyond its own files.
static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
  return (int)syscall(__NR_capset, &header, none);
}

int clinux_confine_calls(void) {
  struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      ANSWER(SECCOMP_RET_KILL_PROCESS),
      LOAD(nr),
      // clone3, whose arguments can't be seen, and what is newer than this list: the C library goes without. On x86_64 also
      // the x32 numbers of the same calls.
      IF_EQUAL(435, 1),
      REFUSE(ENOSYS),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 450, 0, 1),
      REFUSE(ENOSYS),

      // What it does all the time: its socket, memory, threads, clocks.
      ALLOW(futex), ALLOW(recvfrom), ALLOW(sendto), ALLOW(read), ALLOW(write), ALLOW(close), ALLOW(clock_gettime),
      ALLOW(gettimeofday), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(times), ALLOW(getrusage),
      ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(madvise), ALLOW(mincore), ALLOW(membarrier),
      ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(getcpu), ALLOW(set_robust_list), ALLOW(get_robust_list),
      ALLOW(set_tid_address), ALLOW(rseq), ALLOW(restart_syscall), ALLOW(exit), ALLOW(exit_group), ALLOW(getrandom),
      // Signals of its own.
      ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(rt_sigpending), ALLOW(rt_sigsuspend),
      ALLOW(rt_sigtimedwait), ALLOW(sigaltstack),
      // Waiting.
      ALLOW(epoll_create1), ALLOW(epoll_ctl), ALLOW(epoll_pwait), ALLOW(eventfd2), ALLOW(timerfd_create),
      ALLOW(timerfd_settime), ALLOW(timerfd_gettime), ALLOW(ppoll), ALLOW(pselect6), ALLOW(pipe2), ALLOW(dup), ALLOW(dup3),
      // Files: Landlock says which.
      ALLOW(openat), ALLOW(fstat), ALLOW(newfstatat), ALLOW(statx), ALLOW(lseek), ALLOW(pread64), ALLOW(readv),
      ALLOW(writev), ALLOW(getdents64), ALLOW(faccessat), ALLOW(readlinkat), ALLOW(getcwd), IF_EQUAL(439, 1),
      ANSWER(SECCOMP_RET_ALLOW), // faccessat2
      // Who and where it is.
      ALLOW(getpid), ALLOW(getppid), ALLOW(gettid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid),
      ALLOW(uname), ALLOW(sysinfo),
#if defined(__x86_64__)
      ALLOW(arch_prctl), ALLOW(open), ALLOW(stat), ALLOW(lstat), ALLOW(access), ALLOW(readlink), ALLOW(poll), ALLOW(select),
      ALLOW(epoll_create), ALLOW(epoll_wait), ALLOW(eventfd), ALLOW(pipe), ALLOW(dup2), ALLOW(getrlimit), ALLOW(time),
#endif
      // Memory that the limit of getrlimit(2), RLIMIT_DATA, counts: none that is shared.
      OF_CALL(mmap, 3, 3), IF_BITS(MAP_SHARED), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW),
      // Threads are clones, processes too: only threads may be.
      OF_CALL(clone, 0, 3), IF_BITS(CLONE_THREAD), ANSWER(SECCOMP_RET_ALLOW), REFUSE(EPERM),
      // Signals to threads of its own, as abort(3) sends.
      OF_CALL(tgkill, 0, 3), ALLOW_VALUE(getpid()), REFUSE(EPERM),
      // Limits of its own.
      OF_CALL(prlimit64, 0, 3), ALLOW_VALUE(0), REFUSE(EPERM),
      // Names of its threads and mappings, but not what was set for the process.
      OF_CALL(prctl, 0, 7), ALLOW_VALUE(PR_SET_NAME), ALLOW_VALUE(PR_GET_NAME), ALLOW_VALUE(0x53564d41), REFUSE(EPERM),
      // Not F_SETOWN and its like, by which the kernel sends signals to other processes.
      OF_CALL(fcntl, 1, 13), ALLOW_VALUE(F_GETFD), ALLOW_VALUE(F_SETFD), ALLOW_VALUE(F_GETFL), ALLOW_VALUE(F_SETFL),
      ALLOW_VALUE(F_DUPFD), ALLOW_VALUE(F_DUPFD_CLOEXEC), REFUSE(EPERM),
      OF_CALL(ioctl, 1, 5), ALLOW_VALUE(FIONREAD), ALLOW_VALUE(TCGETS), REFUSE(EPERM),
      // All else: sockets, processes, programs, tracing, owners and modes of files, the system's own settings.
      REFUSE(EPERM),
  };
  struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  if (drop_capabilities() != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  // Of all threads, or of none.
  return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0 ? 0 : -1;
}

int clinux_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

int clinux_forbid_images(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/*
 * The system calls of a locked process. Calls that are not in the table fail with EPERM. It is an allow list, because a
 * deny list would allow the calls of every future kernel. The kernel goes through the rules in this order: frequent
 * calls come first.
 *
 *   ALLOW(name)                       with any arguments
 *   ALLOW_IF(name, condition, ...)    if all conditions hold, up to 4; a call may have several such lines
 *   KILL(name)                        ends the process with SIGSYS: neither Node.js nor a C library makes such a call
 *   ABSENT(name)                      fails with ENOSYS, so that the caller uses an older call
 *
 * Conditions look at the lower 32 bits of an argument. OWN_ID stands for the id of this process.
 *   IS(argument, value)   MASKED(argument, mask, value)   AT_MOST(argument, value)   NONE(argument): all bits are 0
 *
 * Include it once, in seccomp.c.
 */
#include <asm/unistd.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* Calls that the headers may lack although the kernel has them. Numbers from 424 on are the same everywhere. */
#ifndef __NR_clone3
#define __NR_clone3 435
#endif
#ifndef __NR_close_range
#define __NR_close_range 436
#endif
#ifndef __NR_pidfd_getfd
#define __NR_pidfd_getfd 438
#endif
#ifndef __NR_faccessat2
#define __NR_faccessat2 439
#endif
#ifndef __NR_process_madvise
#define __NR_process_madvise 440
#endif
#ifndef __NR_epoll_pwait2
#define __NR_epoll_pwait2 441
#endif
#ifndef __NR_mount_setattr
#define __NR_mount_setattr 442
#endif
#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif

/* The newest call when this table was written. Later ones fail with ENOSYS, as on a kernel that does not have them. */
#define LAST_KNOWN_CALL 467

/* Opening for writing. A truncating open() of a readable file is not refused by Landlock before version 3. */
#define WRITING (3 | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
/* Reading past the page cache takes the disk from others. A process that waits for a disk does not count as hanging. */
#define UNCACHED O_DIRECT
/* Shared anonymous memory, huge pages and memory that grows down, as a stack, are not counted by RLIMIT_DATA. */
#define ANONYMOUS_KIND (MAP_ANONYMOUS | MAP_HUGETLB | MAP_GROWSDOWN | 0xf)
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#define MAX_NICENESS 19

static const rule RULES[] = {
    /* Waiting, time, memory: what a tick does */
    ALLOW(futex), ALLOW(epoll_pwait), ALLOW(read), ALLOW(write), ALLOW(mprotect), ALLOW(munmap),
    ALLOW(clock_gettime), ALLOW(epoll_ctl), ALLOW(getrusage), ALLOW(sched_yield), ALLOW(brk), ALLOW(mremap),
    ALLOW(getrandom), ALLOW(membarrier), ALLOW(mincore), ALLOW(pkey_mprotect), ALLOW(pkey_alloc), ALLOW(pkey_free),
    ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday), ALLOW(epoll_create1),
    ALLOW(epoll_pwait2), ALLOW(ppoll), ALLOW(eventfd2), ALLOW(futex_waitv), ALLOW(restart_syscall),
    /*
     * V8 and the C library. Not MADV_MERGEABLE: the time of a write would tell whether another process has an equal
     * page.
     */
    ALLOW_IF(madvise, IS(2, MADV_DONTNEED)), ALLOW_IF(madvise, IS(2, MADV_FREE)),
    ALLOW_IF(madvise, IS(2, MADV_DONTFORK)), ALLOW_IF(madvise, IS(2, MADV_DODUMP)),
    ALLOW_IF(madvise, IS(2, MADV_DONTDUMP)), ALLOW_IF(madvise, IS(2, MADV_HUGEPAGE)),
    ALLOW_IF(madvise, IS(2, MADV_NOHUGEPAGE)), ALLOW_IF(madvise, IS(2, MADV_WILLNEED)),

    /* Files: Landlock decides which ones. */
    ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(lseek), ALLOW(close), ALLOW(close_range),
    ALLOW(statx), ALLOW(readlinkat), ALLOW(faccessat), ALLOW(faccessat2), ALLOW(getdents64), ALLOW(getcwd), ALLOW(dup),
    ALLOW(dup3), ALLOW(pipe2), ALLOW_IF(openat, MASKED(2, WRITING | UNCACHED, O_RDONLY)),

    /* The channel to the main process */
    ALLOW(getsockname), ALLOW(getpeername), ALLOW(getsockopt), ALLOW(shutdown),
    ALLOW_IF(ioctl, IS(1, FIONBIO)), ALLOW_IF(ioctl, IS(1, FIOCLEX)), ALLOW_IF(ioctl, IS(1, FIONREAD)),
    ALLOW_IF(ioctl, IS(1, TCGETS)), ALLOW_IF(ioctl, IS(1, TIOCGWINSZ)),

    /* The process itself */
    ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn),
    ALLOW(sigaltstack), ALLOW(getpid), ALLOW(gettid), ALLOW(getppid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid),
    ALLOW(getegid), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(set_tid_address), ALLOW(uname), ALLOW(sysinfo),
    ALLOW(times), ALLOW(getcpu), ALLOW(sched_getaffinity), ALLOW(getpriority),
    ALLOW(sched_getscheduler), ALLOW(sched_getparam),
    ALLOW_IF(kill, IS(0, OWN_ID)), ALLOW_IF(tgkill, IS(0, OWN_ID)),
    ALLOW_IF(prlimit64, IS(0, 0), NONE(2)), ALLOW_IF(prlimit64, IS(0, OWN_ID), NONE(2)),
    ALLOW_IF(setpriority, IS(0, PRIO_PROCESS), IS(1, 0), AT_MOST(2, MAX_NICENESS)),
    ALLOW_IF(prctl, IS(0, PR_SET_NAME)), ALLOW_IF(prctl, IS(0, PR_GET_NAME)), ALLOW_IF(prctl, IS(0, PR_SET_VMA)),

    /*
     * Not files, because that is how the dynamic linker loads native addons. One that has no segment of code still
     * calls functions of the C library.
     */
#ifdef __NR_mmap2
#define MAP_CALL(...) ALLOW_IF(mmap2, __VA_ARGS__)
#else
#define MAP_CALL(...) ALLOW_IF(mmap, __VA_ARGS__)
#endif
    MAP_CALL(MASKED(3, ANONYMOUS_KIND, MAP_ANONYMOUS | MAP_PRIVATE)),

    /* F_SETFL may make a descriptor non-blocking, but must not make it send signals or read past the page cache. */
#ifdef __NR_fcntl64
#define FILE_CALL(...) ALLOW_IF(fcntl64, __VA_ARGS__)
#else
#define FILE_CALL(...) ALLOW_IF(fcntl, __VA_ARGS__)
#endif
    FILE_CALL(IS(1, F_GETFL)), FILE_CALL(IS(1, F_SETFL), MASKED(2, O_ASYNC | UNCACHED, 0)), FILE_CALL(IS(1, F_GETFD)),
    FILE_CALL(IS(1, F_SETFD)), FILE_CALL(IS(1, F_DUPFD)), FILE_CALL(IS(1, F_DUPFD_CLOEXEC)),

#if defined(__x86_64__) || defined(__arm__)
    ALLOW(epoll_wait), ALLOW(poll), ALLOW(access), ALLOW(readlink), ALLOW(dup2), ALLOW(pipe),
    ALLOW_IF(open, MASKED(1, WRITING | UNCACHED, O_RDONLY)),
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    ALLOW(fstat), ALLOW(newfstatat), ALLOW(getrlimit),
#endif
#ifdef __x86_64__
    ALLOW(stat), ALLOW(lstat), ALLOW(time),
#endif
#ifdef __arm__
    ALLOW(fstat64), ALLOW(stat64), ALLOW(lstat64), ALLOW(fstatat64), ALLOW(_llseek),
    ALLOW(getuid32), ALLOW(geteuid32), ALLOW(getgid32), ALLOW(getegid32), ALLOW(ugetrlimit), ALLOW(sigreturn),
    ALLOW(clock_gettime64), ALLOW(clock_getres_time64), ALLOW(clock_nanosleep_time64), ALLOW(futex_time64),
    ALLOW(ppoll_time64), {.number = __ARM_NR_cacheflush, .action = SECCOMP_RET_ALLOW},
    {.number = __ARM_NR_set_tls, .action = SECCOMP_RET_ALLOW},
#endif

    ABSENT(clone3),

    /* Other processes, the machine, and large interfaces of the kernel */
    KILL(ptrace), KILL(process_vm_readv), KILL(process_vm_writev), KILL(process_madvise), KILL(pidfd_getfd),
    KILL(kcmp), KILL(bpf), KILL(perf_event_open), KILL(userfaultfd), KILL(add_key), KILL(keyctl), KILL(request_key),
    KILL(mount), KILL(umount2), KILL(mount_setattr), KILL(pivot_root), KILL(chroot), KILL(unshare), KILL(setns),
    KILL(open_by_handle_at), KILL(fanotify_init), KILL(init_module), KILL(finit_module), KILL(delete_module),
    KILL(kexec_load), KILL(reboot), KILL(swapon), KILL(swapoff), KILL(acct), KILL(quotactl), KILL(syslog),
    KILL(sethostname), KILL(clock_settime), KILL(settimeofday), KILL(adjtimex), KILL(clock_adjtime),
    KILL(personality),
};

/* The children of the zygote: forking them, and reporting how they end. */
#include "zygote.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long the other threads may delay a fork. */
#define MAX_FORK_DELAY_MS 1000

static int ended = -1;          /* eventfd(2): a child may have ended */
static struct sigaction before; /* the action for SIGCHLD outside serve() */
static pid_t zygote;            /* of the children that are forked from now on */

/* A handler instead of signalfd(2): the other threads of Node.js do not block SIGCHLD and would receive it. */
static void on_child_end(int signal) {
  int error = errno;
  uint64_t one = 1;
  if (write(ended, &one, sizeof one) < 0) errno = 0; /* a full counter wakes poll() as well */
  errno = error;
}

int fork_watch_children(void) {
  struct sigaction action = {.sa_handler = on_child_end, .sa_flags = SA_RESTART | SA_NOCLDSTOP};
  ended = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return ended >= 0 && sigaction(SIGCHLD, &action, &before) == 0 ? 0 : errno;
}

int fork_children_fd(void) { return ended; }

bool fork_zygote_lives(void) { return getppid() == zygote; }

/* In the child, the watch of the zygote is gone. */
pid_t fork_make_child(void) {
  int error = fork_await_quiet(0);
  if (error == EBUSY) error = fork_await_quiet(MAX_FORK_DELAY_MS);
  if (error != 0) return -error;
  zygote = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    sigaction(SIGCHLD, &before, NULL);
    close(ended);
    ended = -1;
  }
  return pid < 0 ? -errno : pid;
}

static uint32_t millis_of(const struct timeval *user, const struct timeval *system) {
  return (uint32_t)((user->tv_sec + system->tv_sec) * 1000 + (user->tv_usec + system->tv_usec) / 1000);
}

bool fork_reap_children(int control) {
  uint64_t drained;
  while (ended >= 0 && read(ended, &drained, sizeof drained) > 0) continue;
  int status;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    const fork_reply reply = {
        .kind = FORK_REPLY_EXITED,
        .pid = pid,
        .value = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
        .millis = millis_of(&usage.ru_utime, &usage.ru_stime),
        .peak = (uint32_t)usage.ru_maxrss,
    };
    if (!fork_reply_send(control, &reply)) return false;
  }
  return true;
}

/*
 * The children of the zygote: forking them, and reporting how they end. After each start the zygote forks the next
 * children ahead, the spares, so that a start does not have to wait for fork(). A spare waits for its request on its
 * own socket.
 */
#include "zygote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long the other threads may delay a fork. */
#define MAX_FORK_DELAY_MS 1000

/* Lives as long as the zygote: children outlive single calls of serve(). */
static fork_child *children;
static int ended = -1;          /* eventfd(2): a child may have ended */
static struct sigaction before; /* the action for SIGCHLD outside serve() */
static pid_t zygote;            /* of the children that are forked from now on */

/* A handler instead of signalfd(2): the other threads of Node.js do not block SIGCHLD and would receive it. */
static void on_child_end(int signal) {
  (void)signal;
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

/* Ends the watch and frees the list of the zygote's children, in a child. */
static void drop_zygote_state(void) {
  sigaction(SIGCHLD, &before, NULL);
  close(ended);
  ended = -1;
  while (children != NULL) {
    fork_child *sibling = children;
    children = sibling->next;
    free(sibling);
  }
}

/*
 * Forks a child and adds it to the list of children. Returns 1 in the zygote, 0 in the child, where the list and the
 * watch of the zygote are gone, or a negative errno.
 */
int fork_make_child(uint32_t id, fork_child **made) {
  int error = fork_await_quiet(0);
  if (error == EBUSY) error = fork_await_quiet(MAX_FORK_DELAY_MS);
  if (error != 0) return -error;
  fork_child *child = malloc(sizeof *child);
  if (child == NULL) return -ENOMEM;
  zygote = getpid();
  pid_t pid = fork();
  if (pid < 0) error = errno;
  if (pid <= 0) free(child);
  if (pid < 0) return -error;
  if (pid == 0) {
    drop_zygote_state();
    return 0;
  }
  *child = (fork_child){.pid = pid, .id = id, .next = children};
  children = *made = child;
  return 1;
}

/* Lets the child that was just started or forked run first, and further starts that follow at once. */
#define SPARE_DELAY_MS 100
/* Delay after a spare died or could not be forked, probably for lack of memory. Doubled each time. */
#define MIN_RETRY_MS 1000
#define MAX_RETRY_MS 64000

typedef struct spare {
  int socket;
  fork_child *child;
} spare;

static struct {
  size_t wanted, count;
  spare all[FORK_MAX_SPARES]; /* in the zygote, the oldest first */
  int own;                    /* in a spare: its socket; otherwise -1 */
  int delay_ms;               /* until the next spare is forked */
} spares = {.own = -1};

void fork_spare_enable(size_t wanted) {
  spares.wanted = wanted;
  spares.delay_ms = 0;
}

int fork_spare_timeout(void) { return spares.count < spares.wanted ? spares.delay_ms : -1; }

void fork_spare_postpone(void) { spares.delay_ms = SPARE_DELAY_MS; }

int fork_spare_socket(void) { return spares.own; }

static void forget(size_t at) {
  close(spares.all[at].socket); /* a spare without a request then ends */
  spares.count--;
  memmove(&spares.all[at], &spares.all[at + 1], (spares.count - at) * sizeof(spare));
}

/* Closes the sockets between the zygote and its spares, in a child. */
static void spare_drop(void) {
  while (spares.count > 0) forget(0);
  if (spares.own >= 0) close(spares.own);
  spares.own = -1;
}

static void back_off(void) {
  int delay = spares.delay_ms * 2;
  if (delay < MIN_RETRY_MS) delay = MIN_RETRY_MS;
  spares.delay_ms = delay < MAX_RETRY_MS ? delay : MAX_RETRY_MS;
}

/* Schedules the next spare if the child that has ended was one. */
static void spare_ended(const fork_child *ended) {
  for (size_t i = 0; i < spares.count; i++) {
    if (spares.all[i].child != ended) continue;
    forget(i);
    back_off();
    return;
  }
}

bool fork_spare_make(void) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    back_off();
    return false;
  }
  fork_child *made;
  int result = fork_make_child(NO_REQUEST, &made);
  if (result == 0) {
    close(ends[0]);
    spare_drop(); /* the zygote's ends of the others */
    spares.own = ends[1];
    return true;
  }
  close(ends[1]);
  if (result < 0) {
    close(ends[0]);
    back_off();
  } else {
    spares.all[spares.count++] = (spare){ends[0], made};
    if (spares.delay_ms < SPARE_DELAY_MS) spares.delay_ms = SPARE_DELAY_MS;
  }
  return false;
}

fork_child *fork_spare_use(const child_request *one) {
  while (spares.count > 0) {
    const spare first = spares.all[0];
    bool sent = fork_send(first.socket, &one->request, sizeof one->request, one->descriptors, one->count) >= 0;
    forget(0);
    if (!sent) continue; /* it has ended */
    first.child->id = one->request.id;
    return first.child;
  }
  return NULL;
}

bool fork_spare_receive(child_request *one) {
  bool received = fork_receive(spares.own, &one->request, one->descriptors, &one->count) > 0;
  spare_drop();
  return received && one->count == one->request.descriptors;
}

static uint32_t millis_of(const struct timeval *user, const struct timeval *system) {
  return (uint32_t)((user->tv_sec + system->tv_sec) * 1000 + (user->tv_usec + system->tv_usec) / 1000);
}

/* Removes a child from the list; NULL for a process that the module started during its warm-up. */
static fork_child *remove_child(pid_t pid) {
  fork_child **at = &children;
  while (*at != NULL && (*at)->pid != pid) at = &(*at)->next;
  fork_child *found = *at;
  if (found != NULL) *at = found->next;
  return found;
}

bool fork_reap_children(int control) {
  uint64_t drained;
  while (ended >= 0 && read(ended, &drained, sizeof drained) > 0) continue;
  int status;
  struct rusage usage;
  pid_t pid;
  while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
    fork_child *child = remove_child(pid);
    if (child == NULL) continue;
    spare_ended(child);
    fork_reply reply = {
        .kind = FORK_REPLY_EXITED,
        .id = child->id,
        .pid = pid,
        .value = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status),
        .millis = millis_of(&usage.ru_utime, &usage.ru_stime),
        .peak = (uint32_t)usage.ru_maxrss,
    };
    free(child);
    if (reply.id != NO_REQUEST && !fork_reply_send(control, &reply)) return false;
  }
  return true;
}

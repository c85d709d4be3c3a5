/*
 * The spare children. After each start the zygote forks the next children ahead, so that a start does not have to wait
 * for fork(). A spare waits for its request on its own socket.
 */
#include "zygote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

void fork_spare_drop(void) {
  while (spares.count > 0) forget(0);
  if (spares.own >= 0) close(spares.own);
  spares.own = -1;
}

static void back_off(void) {
  int delay = spares.delay_ms * 2;
  if (delay < MIN_RETRY_MS) delay = MIN_RETRY_MS;
  spares.delay_ms = delay < MAX_RETRY_MS ? delay : MAX_RETRY_MS;
}

void fork_spare_ended(const fork_child *ended) {
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
    fork_spare_drop(); /* the zygote's ends of the others */
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
    bool sent =
        fork_send(first.socket, &one->request, sizeof one->request, one->descriptors, one->count) >= 0;
    forget(0);
    if (!sent) continue; /* it has ended */
    first.child->id = one->request.id;
    return first.child;
  }
  return NULL;
}

bool fork_spare_receive(child_request *one) {
  bool received = fork_receive(spares.own, &one->request, one->descriptors, &one->count) > 0;
  fork_spare_drop();
  return received && one->count == one->request.descriptors;
}

/*
 * The spare child. After each start the zygote forks the next child ahead, so that a start does not have to wait for
 * fork(). The spare waits for its request on its own socket.
 */
#include "zygote.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* Lets the child that was just started run first, and further starts that follow at once. */
#define SPARE_DELAY_MS 100
/* Delay after a spare died or could not be forked, probably for lack of memory. Doubled each time. */
#define MIN_RETRY_MS 1000
#define MAX_RETRY_MS 64000

static struct {
  bool enabled;
  int socket;        /* -1: there is no spare */
  fork_child *child; /* in the zygote */
  int delay_ms;      /* until the next spare is forked */
} spare = {.socket = -1};

void fork_spare_enable(bool enabled) {
  spare.enabled = enabled;
  spare.delay_ms = 0;
}

int fork_spare_timeout(void) {
  return spare.enabled && spare.child == NULL ? spare.delay_ms : -1;
}

void fork_spare_postpone(void) { spare.delay_ms = SPARE_DELAY_MS; }

int fork_spare_socket(void) { return spare.socket; }

void fork_spare_drop(void) {
  if (spare.socket >= 0) close(spare.socket); /* the spare then ends */
  spare.socket = -1;
  spare.child = NULL;
}

static void back_off(void) {
  int delay = spare.delay_ms * 2;
  if (delay < MIN_RETRY_MS) delay = MIN_RETRY_MS;
  spare.delay_ms = delay < MAX_RETRY_MS ? delay : MAX_RETRY_MS;
}

void fork_spare_ended(const fork_child *ended) {
  if (ended != spare.child) return;
  fork_spare_drop();
  back_off();
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
    spare.socket = ends[1];
    return true;
  }
  close(ends[1]);
  if (result < 0) {
    close(ends[0]);
    back_off();
  } else {
    spare.socket = ends[0];
    spare.child = made;
  }
  return false;
}

fork_child *fork_spare_use(const child_request *one) {
  fork_child *child = spare.child;
  if (child == NULL) return NULL;
  bool sent =
      fork_send(spare.socket, &one->request, sizeof one->request, one->descriptors, one->count) >= 0;
  fork_spare_drop();
  if (!sent) return NULL;
  child->id = one->request.id;
  return child;
}

bool fork_spare_receive(child_request *one) {
  bool received = fork_receive(spare.socket, &one->request, one->descriptors, &one->count) > 0;
  fork_spare_drop();
  return received && one->count == one->request.descriptors;
}

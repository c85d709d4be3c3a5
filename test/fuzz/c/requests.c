/*
 * Requests to a zygote: bytes and descriptors on its control socket, in any pieces, and how a child applies a request.
 * Calls that would change this process are replaced.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "zygote/zygote.h"

int fork_loop_child(napi_env env) {
  (void)env;
  return 0;
}
void fork_loop_now(napi_env env) {
  (void)env;
}

/* Reads the name to its end, as the kernel does: at most TASK_COMM_LEN bytes. */
static int fuzz_prctl(int option, const char *name) {
  (void)option;
  return strnlen(name, FORK_NAME_BYTES) <= FORK_NAME_BYTES ? 0 : -1;
}
static int fuzz_dup2(int from, int to) {
  if (to < 0 || to >= FORK_STDIO) __builtin_trap();
  return fcntl(from, F_GETFD) < 0 ? -1 : to;
}

#define prctl(option, name, ...) fuzz_prctl(option, name)
#define dup2 fuzz_dup2
#define setpriority(which, who, niceness) 0
#define sched_setaffinity(pid, bytes, cpus) 0
#define setrlimit(resource, limit) ((void)(limit), 0)
#include "zygote/child.c"
#undef check
#include "zygote/wire.c"

static size_t open_descriptors(void) {
  size_t count = 0;
  for (int fd = 0; fd < 64; fd++)
    if (fcntl(fd, F_GETFD) >= 0) count++;
  return count;
}

/* Not an end of the socket itself, which would stay open in the other end's queue. */
static int passed_on = -1;

/* Sends a piece of at most 40 bytes with up to 24 descriptors, more than a request may have. */
static void send_piece(int socket, const uint8_t *bytes, size_t length, size_t count) {
  union {
    char room[CMSG_SPACE(24 * sizeof(int))];
    struct cmsghdr align;
  } control = {{0}};
  struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0) {
    message.msg_control = control.room;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    for (size_t i = 0; i < count; i++)
      memcpy(CMSG_DATA(head) + i * sizeof(int), &passed_on, sizeof(int));
  }
  if (sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (passed_on < 0) passed_on = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const size_t open_before = open_descriptors();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) __builtin_trap();
  while (size >= 2) {
    size_t length = data[0] % 64u + 1, count = data[1] % 25u;
    data += 2, size -= 2;
    if (length > size) length = size;
    if (length == 0) break;
    send_piece(ends[1], data, length, count);
    data += length, size -= length;
  }
  close(ends[1]);
  for (;;) {
    child_request one = {0};
    const int got = fork_receive(ends[0], &one.request, one.descriptors, &one.count);
    if (one.count > FORK_MAX_DESCRIPTORS) __builtin_trap();
    if (got <= 0) { /* serve() would exit here */
      for (size_t i = 0; i < one.count; i++) close(one.descriptors[i]);
      break;
    }
    /* serve() answers others with EMFILE. */
    if (one.count == one.request.descriptors) fork_apply_request(NULL, &one, 1 << 20);
    if (one.count > FORK_MAX_DESCRIPTORS || one.failed > FORK_MAX_FAILURES) __builtin_trap();
    for (size_t i = 0; i < one.count; i++) close(one.descriptors[i]);
  }
  close(ends[0]);
  if (open_descriptors() != open_before) __builtin_trap();
  return 0;
}

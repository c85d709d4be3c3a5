/*
 * The connection between the main process and its zygotes: socket pairs, descriptors sent over them (unix(7),
 * SCM_RIGHTS), and the pipe that ends the zygote and its children with the main process.
 */
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* socketPair() -> [fd, fd], a stream in both directions */
static napi_value socket_pair(napi_env env, napi_callback_info info) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return pitv_throw_errno(env, "socketpair", errno, "Could not create a pair of sockets");
  return pitv_make_numbers(env, ends, 2);
}

/* makePipe() -> [reading fd, writing fd] */
static napi_value make_pipe(napi_env env, napi_callback_info info) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return pitv_throw_errno(env, "pipe2", errno, "Could not create a pipe");
  return pitv_make_numbers(env, ends, 2);
}

/*
 * dieAsGroup(fd) -> boolean: from now on this process leads a process group, which the kernel kills when the writing
 * end of the pipe is closed, which happens when the main process ends for any reason. The group owns the pipe
 * (fcntl(2), F_SETOWN and F_SETSIG), so this works without a living parent, and also ends processes that are stopped or
 * in an endless loop. Nothing is ever written to this pipe. Returns false when it is closed already.
 *
 * The group may be in the session of the main process. Its terminal may stop groups in its background that write to it,
 * unless they ignore the signal.
 */
static napi_value die_as_group(napi_env env, napi_callback_info info) {
  int64_t file;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  int fd = (int)file;
  int flags = fcntl(fd, F_GETFL);
  if (getpgrp() != getpid() && setpgid(0, 0) != 0)
    return pitv_throw_errno(env, "setpgid", errno, "Could not make a process group");
  signal(SIGTTOU, SIG_IGN);
  if (flags < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || fcntl(fd, F_SETOWN, -getpgrp()) != 0 ||
      fcntl(fd, F_SETSIG, SIGKILL) != 0 || fcntl(fd, F_SETFL, flags | O_ASYNC) != 0)
    return pitv_throw_errno(env, "fcntl", errno, "Could not tie the group to the main process");
  struct pollfd end = {.fd = fd};
  return pitv_make_boolean(env, poll(&end, 1, 0) == 0);
}

/* Room for the descriptors of a message. */
typedef union descriptor_room {
  char bytes[CMSG_SPACE(FORK_MAX_DESCRIPTORS * sizeof(int))];
  struct cmsghdr align;
} descriptor_room;

/* Sends bytes with descriptors, as many as fit into the buffer; returns -1 with errno set when none do. Never waits. */
static ssize_t send_with_descriptors(int socket, const void *bytes, size_t length, const int *descriptors,
                                     size_t count) {
  descriptor_room room = {0};
  struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = length};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (count > 0) {
    message.msg_control = room.bytes;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), descriptors, count * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* sendDescriptors(socket, bytes, descriptors) -> number of bytes; 0: the socket's buffer is full */
static napi_value send_descriptors(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  int64_t socket;
  int descriptors[FORK_MAX_DESCRIPTORS];
  void *bytes;
  size_t count, length;
  if (!pitv_arguments(env, info, 3, arguments) || !pitv_number(env, arguments[0], "socket", INT32_MAX, &socket) ||
      !pitv_descriptors(env, arguments[2], "descriptors", FORK_MAX_DESCRIPTORS, descriptors, &count))
    return NULL;
  if (napi_get_buffer_info(env, arguments[1], &bytes, &length) != napi_ok || length == 0)
    return pitv_throw_argument(env, "bytes must be a Buffer with content.");

  ssize_t sent = send_with_descriptors((int)socket, bytes, length, descriptors, count);
  if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != ETOOMANYREFS)
    return pitv_throw_errno(env, "sendmsg", errno, "Could not send descriptors");
  return pitv_make_number(env, sent < 0 ? 0 : (double)sent);
}

bool fork_receive(int socket, void *bytes, size_t length, int *descriptors, size_t *count) {
  for (size_t have = 0; have < length;) {
    descriptor_room room;
    struct iovec part = {.iov_base = (char *)bytes + have, .iov_len = length - have};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes,
                             .msg_controllen = sizeof room.bytes};
    ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    have += (size_t)got;
    for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
      if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
      size_t more = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      int *fds = (int *)(void *)CMSG_DATA(head);
      for (size_t i = 0; i < more; i++) {
        if (*count < FORK_MAX_DESCRIPTORS) memcpy(&descriptors[(*count)++], &fds[i], sizeof(int));
        else close(fds[i]);
      }
    }
  }
  return true;
}

/* Writes all bytes and waits for space; returns 0 or an errno. */
static int write_bytes(int file, const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    const ssize_t more = write(file, (const char *)bytes + done, length - done);
    if (more >= 0) done += (size_t)more;
    else if (errno != EINTR) return errno;
  }
  return 0;
}

/* writeAll(fd, bytes) -> boolean: waits for space; false: the other side has closed the socket */
static napi_value write_all(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  int64_t fd;
  void *bytes;
  size_t length;
  if (!pitv_arguments(env, info, 2, arguments) || !pitv_number(env, arguments[0], "fd", INT32_MAX, &fd)) return NULL;
  if (napi_get_buffer_info(env, arguments[1], &bytes, &length) != napi_ok)
    return pitv_throw_argument(env, "bytes must be a Buffer.");
  const int error = write_bytes((int)fd, bytes, length);
  if (error != 0 && error != EPIPE && error != ECONNRESET)
    return pitv_throw_errno(env, "write", error, "Could not write to the main process");
  return pitv_make_boolean(env, error == 0);
}

bool fork_reply_send(int control, const fork_reply *reply) { return write_bytes(control, reply, sizeof *reply) == 0; }

PITV_FUNCTIONS(fork_wire, {"socketPair", socket_pair}, {"makePipe", make_pipe},
               {"dieAsGroup", die_as_group}, {"sendDescriptors", send_descriptors}, {"writeAll", write_all});

/*
 * Buffer sizes between two processes: the capacity of a pipe (fcntl(2), F_SETPIPE_SZ) and the buffers of a
 * socket (socket(7), SO_SNDBUF and SO_RCVBUF). Node.js and libuv can set neither for a child's stdio. Also buffers of
 * the TV's connections.
 */
#include "napi-util.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#define MAX_BYTES (INT64_C(1) << 30)

/* Reads the arguments (fd) or (fd, bytes); `bytes` is NULL for the former. */
static bool read_arguments(napi_env env, napi_callback_info info, int *file, int *bytes) {
  napi_value arguments[2];
  int64_t number, size = 0;
  if (!pitv_arguments(env, info, bytes == NULL ? 1 : 2, arguments) ||
      !pitv_number(env, arguments[0], "fd", INT32_MAX, &number) ||
      (bytes != NULL && !pitv_number(env, arguments[1], "bytes", MAX_BYTES, &size)))
    return false;
  *file = (int)number;
  if (bytes != NULL) *bytes = (int)size;
  return true;
}

/* setPipeSize(fd, bytes) -> new size, bytes. The kernel refuses more than pipe-max-size with EPERM. */
static napi_value set_pipe_size(napi_env env, napi_callback_info info) {
  int file, bytes;
  if (!read_arguments(env, info, &file, &bytes)) return NULL;
  const int size = fcntl(file, F_SETPIPE_SZ, bytes);
  if (size < 0) return pitv_throw_errno(env, "fcntl F_SETPIPE_SZ", errno, "Could not resize the pipe");
  return pitv_make_number(env, size);
}

/* pipeSize(fd) -> bytes */
static napi_value pipe_size(napi_env env, napi_callback_info info) {
  int file;
  if (!read_arguments(env, info, &file, NULL)) return NULL;
  const int size = fcntl(file, F_GETPIPE_SZ);
  if (size < 0) return pitv_throw_errno(env, "fcntl F_GETPIPE_SZ", errno, "fd is not a pipe");
  return pitv_make_number(env, size);
}

/* With CAP_NET_ADMIN the size may exceed net.core.rmem_max and wmem_max. Otherwise these limit it. */
static int resize_buffer(int socket, int option, int forced_option, int bytes) {
  if (setsockopt(socket, SOL_SOCKET, forced_option, &bytes, sizeof bytes) == 0) return 0;
  return setsockopt(socket, SOL_SOCKET, option, &bytes, sizeof bytes);
}

/* setSocketBuffers(fd, bytes) -> new size of the send buffer, bytes; the kernel doubles it for its own use */
static napi_value set_socket_buffers(napi_env env, napi_callback_info info) {
  int file, size;
  if (!read_arguments(env, info, &file, &size)) return NULL;
  socklen_t length = sizeof size;
  if (resize_buffer(file, SO_RCVBUF, SO_RCVBUFFORCE, size) != 0 ||
      resize_buffer(file, SO_SNDBUF, SO_SNDBUFFORCE, size) != 0 ||
      getsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0)
    return pitv_throw_errno(env, "setsockopt", errno, "Could not resize the socket's buffers");
  return pitv_make_number(env, size);
}

static napi_value set_option(napi_env env, napi_callback_info info, int level, int option, const char *sentence) {
  int file, value;
  if (!read_arguments(env, info, &file, &value)) return NULL;
  if (setsockopt(file, level, option, &value, sizeof value) != 0)
    return pitv_throw_errno(env, "setsockopt", errno, sentence);
  return NULL;
}

/* setReceiveBuffer(fd, bytes): sockets inherit the size from the listening socket that accepts them (tcp(7)) */
static napi_value set_receive_buffer(napi_env env, napi_callback_info info) {
  return set_option(env, info, SOL_SOCKET, SO_RCVBUF, "Could not resize the receive buffer");
}

/* limitUnsent(fd, bytes): write() refuses bytes while so many have not been sent yet (tcp(7)) */
static napi_value limit_unsent(napi_env env, napi_callback_info info) {
  return set_option(env, info, IPPROTO_TCP, TCP_NOTSENT_LOWAT, "Could not limit the unsent bytes");
}

PITV_FUNCTIONS(pipes, {"setPipeSize", set_pipe_size}, {"pipeSize", pipe_size},
               {"setSocketBuffers", set_socket_buffers}, {"setReceiveBuffer", set_receive_buffer},
               {"limitUnsent", limit_unsent});

/*
 * How much fits between two processes: the capacity of a pipe (fcntl(2), F_SETPIPE_SZ) and the buffers
 * of a socket (socket(7), SO_SNDBUF and SO_RCVBUF). Node and libuv offer neither.
 */
#include "napi-util.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#define MAX_BYTES (INT64_C(1) << 30)

/* (fd) or (fd, bytes): the one that is not asked for is NULL. */
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

static napi_value tell(napi_env env, int size) {
  napi_value result;
  if (napi_create_int32(env, size, &result) != napi_ok)
    return pitv_throw_napi(env, "Could not tell the size");
  return result;
}

/* setPipeSize(fd, bytes) -> bytes it has now. Over pipe-max-size the kernel refuses with EPERM. */
static napi_value set_pipe_size(napi_env env, napi_callback_info info) {
  int file, bytes;
  if (!read_arguments(env, info, &file, &bytes)) return NULL;
  const int size = fcntl(file, F_SETPIPE_SZ, bytes);
  if (size < 0)
    return pitv_throw_errno(env, "fcntl F_SETPIPE_SZ", errno, "Could not size the pipe");
  return tell(env, size);
}

/* pipeSize(fd) -> bytes */
static napi_value pipe_size(napi_env env, napi_callback_info info) {
  int file;
  if (!read_arguments(env, info, &file, NULL)) return NULL;
  const int size = fcntl(file, F_GETPIPE_SZ);
  if (size < 0) return pitv_throw_errno(env, "fcntl F_GETPIPE_SZ", errno, "This is no pipe");
  return tell(env, size);
}

/* CAP_NET_ADMIN may go beyond net.core.rmem_max and wmem_max; others get as much as these allow. */
static int size_buffer(int socket, int option, int forced, int bytes) {
  if (setsockopt(socket, SOL_SOCKET, forced, &bytes, sizeof bytes) == 0) return 0;
  return setsockopt(socket, SOL_SOCKET, option, &bytes, sizeof bytes);
}

/* setSocketBuffers(fd, bytes) -> bytes the send buffer has now; the kernel doubles them for its own use */
static napi_value set_socket_buffers(napi_env env, napi_callback_info info) {
  int file, size;
  if (!read_arguments(env, info, &file, &size)) return NULL;
  socklen_t length = sizeof size;
  if (size_buffer(file, SO_RCVBUF, SO_RCVBUFFORCE, size) != 0 ||
      size_buffer(file, SO_SNDBUF, SO_SNDBUFFORCE, size) != 0 ||
      getsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, &length) != 0)
    return pitv_throw_errno(env, "setsockopt", errno, "Could not size the socket's buffers");
  return tell(env, size);
}

/* setReceiveBuffer(fd, bytes): a listening socket hands the size down to what it accepts, tcp(7) */
static napi_value set_receive_buffer(napi_env env, napi_callback_info info) {
  int file, size;
  if (!read_arguments(env, info, &file, &size)) return NULL;
  if (setsockopt(file, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) != 0)
    return pitv_throw_errno(env, "setsockopt", errno, "Could not size the receive buffer");
  return NULL;
}

bool pitv_pipes_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "setPipeSize", set_pipe_size) &&
         pitv_export(env, exports, "pipeSize", pipe_size) &&
         pitv_export(env, exports, "setSocketBuffers", set_socket_buffers) &&
         pitv_export(env, exports, "setReceiveBuffer", set_receive_buffer);
}

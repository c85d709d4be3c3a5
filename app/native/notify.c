/*
 * Reports the state of the service to the service manager (sd_notify(3)): a datagram to the socket in
 * NOTIFY_SOCKET. Node.js has no datagram sockets of AF_UNIX.
 */
#include "napi-util.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_TEXT 4096

/* notify(socket, text): `socket` is a path, or an abstract name that begins with @, as in NOTIFY_SOCKET */
static napi_value notify(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char text[MAX_TEXT];
  size_t name_length, text_length;
  if (!pitv_arguments(env, info, 2, arguments)) return NULL;
  if (napi_get_value_string_utf8(env, arguments[0], NULL, 0, &name_length) != napi_ok ||
      name_length < 2 || name_length >= sizeof address.sun_path)
    return pitv_throw_argument(env, "socket must be a path or an abstract name.");
  napi_get_value_string_utf8(env, arguments[0], address.sun_path, sizeof address.sun_path, &name_length);
  if (napi_get_value_string_utf8(env, arguments[1], text, sizeof text, &text_length) != napi_ok)
    return pitv_throw_argument(env, "text must be a string.");
  if (address.sun_path[0] == '@') address.sun_path[0] = 0; /* unix(7), abstract */
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return pitv_throw_errno(env, "socket", errno, "Could not reach the service manager");
  socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name_length);
  /* MSG_DONTWAIT: a manager that does not read must not block the main thread. */
  ssize_t sent = sendto(descriptor, text, text_length, MSG_NOSIGNAL | MSG_DONTWAIT,
                        (struct sockaddr *)&address, length);
  int error = errno;
  close(descriptor);
  if (sent < 0) return pitv_throw_errno(env, "sendto", error, "Could not tell the service manager");
  return NULL;
}

PITV_FUNCTIONS(notify, {"notify", notify});

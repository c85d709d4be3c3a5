/* signal-thread PROCESS THREAD SIGNAL: signals one thread, which kill(2) cannot. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char **arguments) {
  if (count != 4) return 2;
  return syscall(SYS_tgkill, atoi(arguments[1]), atoi(arguments[2]), atoi(arguments[3])) == 0 ? 0 : 1;
}

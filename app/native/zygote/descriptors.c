/*
 * Takes away from a child what fork() shares: descriptors, and memory that several processes map.
 *
 * A child and its zygote share each open file description that they inherit. Among these are libuv's: the epoll
 * instances, events and signal pipes of its event loops. libuv believes what it reads from them, so a child that writes
 * to such a pipe controls the zygote. uv_loop_fork() replaces those of the main loop only. So every descriptor of the
 * zygote is replaced in the child by a placeholder, a socket of its own. Then uv_loop_fork() opens new ones. The rest
 * is closed when the threads of Node.js's platform run again. Until then V8 may wake them by a descriptor of theirs,
 * and libuv aborts the process if it cannot write to that.
 */
#include "zygote.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_STDIO 2
#define MAX_DESCRIPTORS 1024
#define MAX_KEPT 64

typedef struct inherited {
  int fd;
  ino_t inode; /* the number of a descriptor may belong to another file in the child */
} inherited;

static inherited zygotes[MAX_DESCRIPTORS];
static size_t zygote_count;
/* Descriptors that children keep: they share the file description with the zygote and with each other. */
static int kept[MAX_KEPT];
static size_t kept_count;
/* Two ends of a socket, in a child. */
static int placeholder[2] = {-1, -1};

bool fork_read_kept(napi_env env, napi_value list) {
  return pitv_descriptors(env, list, "kept", MAX_KEPT, kept, &kept_count);
}

int fork_list_descriptors(void) {
  DIR *directory = opendir("/proc/self/fd");
  if (directory == NULL) return errno;
  zygote_count = 0;
  int error = 0;
  for (struct dirent *entry; error == 0 && (entry = readdir(directory)) != NULL;) {
    struct stat about;
    const int fd = atoi(entry->d_name);
    if (fd <= LAST_STDIO || fd == dirfd(directory) || fstat(fd, &about) != 0) continue;
    if (zygote_count == MAX_DESCRIPTORS) error = EMFILE;
    else zygotes[zygote_count++] = (inherited){fd, about.st_ino};
  }
  closedir(directory);
  return error;
}

static bool contains(const int *list, size_t count, int fd) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == fd) return true;
  return false;
}

/*
 * Whether the child still has the zygote's file. libuv has replaced one pipe in fork() already (pthread_atfork(3)).
 * Only pipes and sockets have inodes of their own; other files are never replaced there.
 */
static bool is_inherited(const inherited *one) {
  struct stat about;
  return fstat(one->fd, &about) == 0 && about.st_ino == one->inode;
}

int fork_replace_descriptors(int channel) {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, placeholder) != 0) return errno;
  for (size_t i = 0; i < zygote_count; i++) {
    const int fd = zygotes[i].fd;
    if (fd == channel || contains(kept, kept_count, fd) || !is_inherited(&zygotes[i])) continue;
    if (dup3(placeholder[0], fd, O_CLOEXEC) < 0) return errno;
  }
  return 0;
}

void fork_close_placeholders(void) {
  struct stat wanted, about;
  if (placeholder[0] < 0 || fstat(placeholder[0], &wanted) != 0) return;
  for (size_t i = 0; i < zygote_count; i++)
    if (zygotes[i].fd != placeholder[0] && fstat(zygotes[i].fd, &about) == 0 && about.st_dev == wanted.st_dev &&
        about.st_ino == wanted.st_ino)
      close(zygotes[i].fd);
  close(placeholder[0]);
  close(placeholder[1]);
  placeholder[0] = placeholder[1] = -1;
}

/*
 * leaveZygote(): ties the life of this child to its zygote's by PR_SET_PDEATHSIG (prctl(2)), instead of by a descriptor
 * that all of them share, and closes what it shares except stdin, stdout and stderr. Call it after the last change of
 * the user, which clears PR_SET_PDEATHSIG.
 */
static napi_value leave_zygote(napi_env env, napi_callback_info info) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    return pitv_throw_errno(env, "prctl PR_SET_PDEATHSIG", errno, "Could not tie the process to its zygote");
  if (!fork_zygote_lives()) _exit(1);
  for (size_t i = 0; i < kept_count; i++) close(kept[i]);
  kept_count = 0;
  return NULL;
}

PITV_FUNCTIONS(fork_descriptors, {"leaveZygote", leave_zygote});

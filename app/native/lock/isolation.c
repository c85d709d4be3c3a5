/*
 * Gives a process of a stranger a user and a view of the file system of its own. The view is an empty tmpfs with the
 * readable paths at their places (mount_namespaces(7)), so that calls which Landlock does not know, such as stat(2),
 * find nothing else either.
 *
 * As root, the process becomes `nobody`. Other users cannot change theirs, so the process gets a user namespace, in
 * which it may mount but has no privilege over anything outside (user_namespaces(7)). Where the kernel or a sandbox
 * around the TV refuses namespaces, there is no such view, and Landlock and seccomp remain.
 *
 * Call it in a process with one thread.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534
/* Where the new view is made. The folder exists, and no package is in it. */
#define NEW_ROOT "/proc"
/* The same on every architecture. */
#define MOUNT_SETATTR 442
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif
#define READ_ONLY (MS_RDONLY | MS_NOSUID | MS_NODEV)

static lock_result failed(const char *call) { return (lock_result){call, errno}; }

static bool write_file(const char *path, const char *text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = (ssize_t)strlen(text);
  const bool written = write(file, text, (size_t)length) == length;
  close(file);
  return written;
}

/* Maps one id of the new user namespace to the same id outside. */
static bool map_id(const char *path, unsigned id) {
  char text[64];
  snprintf(text, sizeof text, "%u %u 1\n", id, id);
  return write_file(path, text);
}

/* Leaves the namespaces of the TV. False where that is refused; nothing has changed then. */
static bool leave_namespaces(void) {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (user == 0) return unshare(CLONE_NEWNS) == 0;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  /* Without a map, the process is `nobody` in its namespace, which is as good. */
  write_file("/proc/self/setgroups", "deny");
  map_id("/proc/self/gid_map", group);
  map_id("/proc/self/uid_map", user);
  return true;
}

/* Makes the folders above a path below NEW_ROOT. */
static bool make_parents(char *path) {
  for (char *slash = strchr(path + sizeof NEW_ROOT, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool made = mkdir(path, 0755) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return true;
}

/* Makes all mounts of the view read-only with one call, which Linux has since 5.12. */
static bool make_read_only(void) {
  struct {
    uint64_t set, clear, propagation, userns;
  } attributes = {.set = 1 | 2 | 4}; /* MOUNT_ATTR_RDONLY, _NOSUID, _NODEV */
  return syscall(MOUNT_SETATTR, AT_FDCWD, NEW_ROOT, AT_RECURSIVE, &attributes, sizeof attributes) == 0;
}

/*
 * Adds a file or folder to the view, read-only unless that is done later. One that does not exist, or is there already,
 * is left out.
 */
static bool add_path(const char *path, bool read_only) {
  char target[PATH_MAX + sizeof NEW_ROOT], link[PATH_MAX];
  struct stat about, present;
  if (lstat(path, &about) != 0) return errno == ENOENT || errno == ENOTDIR;
  snprintf(target, sizeof target, "%s%s", NEW_ROOT, path);
  if (S_ISLNK(about.st_mode)) {
    const ssize_t length = readlink(path, link, sizeof link - 1);
    if (length < 0 || !make_parents(target)) return false;
    link[length] = '\0';
    if (symlink(link, target) != 0 && errno != EEXIST && errno != EROFS) return false;
    return realpath(path, link) == NULL || add_path(link, read_only);
  }
  if (stat(target, &present) == 0 && present.st_ino == about.st_ino && present.st_dev == about.st_dev) return true;
  if (!make_parents(target)) return false;
  if (S_ISDIR(about.st_mode)) {
    if (mkdir(target, 0755) != 0 && errno != EEXIST) return false;
  } else {
    const int file = open(target, O_CREAT | O_WRONLY | O_CLOEXEC, 0444);
    if (file < 0) return false;
    close(file);
  }
  return mount(path, target, NULL, MS_BIND | MS_REC, NULL) == 0 &&
         (!read_only || mount(NULL, target, NULL, MS_REMOUNT | MS_BIND | READ_ONLY, NULL) == 0);
}

/*
 * Replaces the view of the file system. `at_once` makes it read-only with one call instead of one for each path. False
 * on failure; the view is the old one then.
 */
static bool change_view(const char *const *paths, size_t count, bool at_once) {
  const mode_t mask = umask(022);
  bool made = mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
              mount("pitv", NEW_ROOT, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=1m") == 0;
  if (made) {
    for (size_t i = 0; made && i < count; i++) made = paths[i][0] == '/' && add_path(paths[i], !at_once);
    made = made && (!at_once || make_read_only());
    made = made && chdir(NEW_ROOT) == 0 && syscall(SYS_pivot_root, ".", ".") == 0;
    if (made) umount2(".", MNT_DETACH); /* the old root, which is on top of the new one */
    else umount2(NEW_ROOT, MNT_DETACH);
    if (made && !at_once) mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | READ_ONLY, NULL);
  }
  umask(mask);
  if (chdir("/") != 0) made = false;
  return made;
}

/* Whether `nobody` can read all paths that exist. setfsuid(2) takes away the privileges of root over files. */
static bool nobody_can_read(const char *const *paths, size_t count) {
  bool readable = true;
  setfsgid(NOBODY);
  setfsuid(NOBODY);
  for (size_t i = 0; readable && i < count; i++) {
    const int file = open(paths[i], O_RDONLY | O_CLOEXEC);
    readable = file >= 0 || errno == ENOENT || errno == ENOTDIR;
    if (file >= 0) close(file);
  }
  setfsuid(0);
  setfsgid(0);
  return readable;
}

lock_result lock_isolate(const char *const *paths, size_t count) {
  if (leave_namespaces() && !change_view(paths, count, true)) change_view(paths, count, false);
  if (geteuid() != 0) return (lock_result){0};
  if (!nobody_can_read(paths, count)) return (lock_result){"setfsuid", EACCES};
  if (setgroups(0, NULL) != 0) return failed("setgroups");
  if (setresgid(NOBODY, NOBODY, NOBODY) != 0) return failed("setresgid");
  if (setresuid(NOBODY, NOBODY, NOBODY) != 0) return failed("setresuid");
  return (lock_result){0};
}

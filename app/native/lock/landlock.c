/*
 * Landlock (landlock(7)): takes away access to all files except some that stay readable, to TCP, and to abstract
 * sockets and signals of other processes. The kernel's version decides how much of it there is. The constants are
 * defined here because the headers may be older than the kernel.
 */
#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same on every architecture. */
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1

#define READ_FILE (UINT64_C(1) << 2)
#define READ_DIR (UINT64_C(1) << 3)
/* Number of access rights to files in versions 1 to 5; later versions have those of version 5. */
static const unsigned FILE_RIGHTS[] = {0, 13, 14, 15, 15, 16};
#define NETWORK_VERSION 4
#define NETWORK_RIGHTS UINT64_C(3) /* bind(2) and connect(2) of TCP */
#define SCOPE_VERSION 6
#define SCOPES UINT64_C(3) /* abstract unix sockets, signals */

/* struct landlock_ruleset_attr */
typedef struct ruleset_attributes {
  uint64_t files, network, scopes;
} ruleset_attributes;

/* struct landlock_path_beneath_attr */
typedef struct __attribute__((packed)) path_rule {
  uint64_t allowed;
  int32_t parent;
} path_rule;

static lock_result failed(const char *call) { return (lock_result){call, errno}; }

int lock_landlock_version(void) {
  const long version = syscall(CREATE_RULESET, NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

static lock_result allow_reading(int ruleset, const char *path) {
  struct stat about;
  path_rule rule = {.parent = open(path, O_PATH | O_CLOEXEC)};
  if (rule.parent < 0) return errno == ENOENT ? (lock_result){0} : failed("open");
  lock_result result = {0};
  if (fstat(rule.parent, &about) != 0) result = failed("fstat");
  rule.allowed = S_ISDIR(about.st_mode) ? READ_FILE | READ_DIR : READ_FILE;
  if (result.error == 0 && syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) != 0)
    result = failed("landlock_add_rule");
  close(rule.parent);
  return result;
}

lock_result lock_make_ruleset(const char *const *paths, size_t count, int *ruleset) {
  const size_t newest = sizeof FILE_RIGHTS / sizeof *FILE_RIGHTS - 1;
  const size_t version = (size_t)lock_landlock_version();
  if (version == 0) return (lock_result){"landlock_create_ruleset", ENOSYS};
  const unsigned rights = FILE_RIGHTS[version < newest ? version : newest];
  const ruleset_attributes attributes = {
      .files = (UINT64_C(1) << rights) - 1,
      .network = version >= NETWORK_VERSION ? NETWORK_RIGHTS : 0,
      .scopes = version >= SCOPE_VERSION ? SCOPES : 0,
  };
  const int made = (int)syscall(CREATE_RULESET, &attributes, sizeof attributes, 0);
  if (made < 0) return failed("landlock_create_ruleset");
  for (size_t i = 0; i < count; i++) {
    const lock_result result = allow_reading(made, paths[i]);
    if (result.error == 0) continue;
    close(made);
    return result;
  }
  *ruleset = made;
  return (lock_result){0};
}

lock_result lock_apply_ruleset(int ruleset) {
  return syscall(RESTRICT_SELF, ruleset, 0) == 0 ? (lock_result){0} : failed("landlock_restrict_self");
}

/*
 * Memory that processes share: an anonymous file in RAM (memfd_create(2)), mapped by each of them.
 * Its size is sealed: a process that shortened the file would end every other one that has it mapped
 * with SIGBUS, and a broken worker must not be able to end the TV.
 */
#include "memory.h"
#include "napi-util.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mailboxes are up to about 320 MiB; a 32-bit process has no room for much more in one piece. */
#define MAX_BYTES (INT64_C(1) << 30)

typedef struct pitv_mapping {
  void *address;
  size_t bytes;
  unsigned holds; /* of native code, see pitv_memory_hold() */
  bool given_up;  /* JavaScript has no more use for it */
  bool finalized; /* and its ArrayBuffer is gone */
  struct pitv_mapping *next;
} mapping;

/* Live mappings of all of the process's environments (main thread and worker threads). */
static mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void remember(mapping *one) {
  pthread_mutex_lock(&lock);
  one->next = mappings;
  mappings = one;
  pthread_mutex_unlock(&lock);
}

/* Takes the mapping out of the list that is `wanted`, or lies at `address`; after that nobody else frees its address. */
static mapping *forget(const mapping *wanted, const void *address) {
  mapping *found = NULL;
  pthread_mutex_lock(&lock);
  for (mapping **at = &mappings; *at != NULL; at = &(*at)->next) {
    if (*at == wanted || (address != NULL && (*at)->address == address)) {
      found = *at;
      *at = found->next;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return found;
}

/* Unmaps what JavaScript has no more use for, unless native code holds it: then its release does. */
static void give_up(mapping *one) {
  pthread_mutex_lock(&lock);
  one->given_up = true;
  const bool held = one->holds > 0;
  pthread_mutex_unlock(&lock);
  if (!held) munmap(one->address, one->bytes);
}

/* The ArrayBuffer was collected, or its environment ends. */
static void finalize(napi_env env, void *data, void *hint) {
  (void)env;
  (void)data;
  mapping *one = hint;
  if (forget(one, NULL) != NULL) give_up(one);
  pthread_mutex_lock(&lock);
  one->finalized = true;
  const bool held = one->holds > 0;
  pthread_mutex_unlock(&lock);
  if (!held) free(one);
}

pitv_mapping *pitv_memory_hold(const void *address) {
  pthread_mutex_lock(&lock);
  mapping *one = mappings;
  while (one != NULL && (uintptr_t)address - (uintptr_t)one->address >= one->bytes) one = one->next;
  if (one != NULL) one->holds++;
  pthread_mutex_unlock(&lock);
  return one;
}

void pitv_memory_release(pitv_mapping *one) {
  pthread_mutex_lock(&lock);
  const bool last = --one->holds == 0;
  const bool unmap = last && one->given_up, forgotten = last && one->finalized;
  const mapping copy = *one; /* once unlocked, the finalizer may free it */
  pthread_mutex_unlock(&lock);
  if (unmap) munmap(copy.address, copy.bytes);
  if (forgotten) free(one);
}

static napi_value map_file(napi_env env, int file, size_t bytes) {
  /* All of it is going to be used: one call is cheaper than a fault for each page. */
  void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  if (address == MAP_FAILED)
    return pitv_throw_errno(env, "mmap", errno, "Could not map the shared memory");
  mapping *one = calloc(1, sizeof *one);
  if (one == NULL) {
    munmap(address, bytes);
    return pitv_throw_errno(env, "calloc", ENOMEM, "Could not map the shared memory");
  }
  one->address = address;
  one->bytes = bytes;
  remember(one);
  napi_value buffer;
  if (napi_create_external_arraybuffer(env, address, bytes, finalize, one, &buffer) != napi_ok) {
    if (forget(one, NULL) != NULL) munmap(address, bytes);
    free(one);
    return pitv_throw_napi(env, "This Node can't use memory from outside its heap");
  }
  return buffer;
}

/* A file in RAM that nobody else can open by name; `sealable` tells whether its size can be fixed. */
static int create_file(const char **call, bool *sealable) {
  *sealable = true;
  *call = "memfd_create";
  int file = memfd_create("pitv", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 || errno != ENOSYS) return file;
  *sealable = false; /* Linux before 3.17 */
  *call = "open /dev/shm";
  return open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* createMemory(bytes) -> {buffer: ArrayBuffer, fd: number}, zeroed */
static napi_value create_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int64_t bytes;
  const char *call;
  bool sealable;
  if (!pitv_arguments(env, info, 1, arguments) ||
      !pitv_number(env, arguments[0], "bytes", MAX_BYTES, &bytes))
    return NULL;
  if (bytes == 0) return pitv_throw_argument(env, "bytes must be at least 1.");

  int file = create_file(&call, &sealable);
  if (file < 0) return pitv_throw_errno(env, call, errno, "Could not make shared memory");
  call = "ftruncate";
  int failed = ftruncate(file, bytes);
  if (failed == 0 && sealable) {
    call = "fcntl F_ADD_SEALS";
    failed = fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  }
  if (failed != 0) {
    int error = errno;
    close(file);
    return pitv_throw_errno(env, call, error, "Could not give the shared memory its size");
  }
  napi_value buffer = map_file(env, file, (size_t)bytes);
  napi_value fd, result;
  if (buffer == NULL) {
    close(file);
    return NULL;
  }
  if (napi_create_int32(env, file, &fd) != napi_ok || napi_create_object(env, &result) != napi_ok ||
      napi_set_named_property(env, result, "buffer", buffer) != napi_ok ||
      napi_set_named_property(env, result, "fd", fd) != napi_ok) {
    close(file);
    return pitv_throw_napi(env, "Could not hand the shared memory over");
  }
  return result;
}

/* mapMemory(fd) -> ArrayBuffer over the whole file; the descriptor may be closed afterwards */
static napi_value map_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  int64_t file;
  struct stat about;
  if (!pitv_arguments(env, info, 1, arguments) ||
      !pitv_number(env, arguments[0], "fd", INT32_MAX, &file))
    return NULL;
  if (fstat((int)file, &about) != 0)
    return pitv_throw_errno(env, "fstat", errno, "Could not look at the shared memory");
  if (!S_ISREG(about.st_mode) || about.st_size <= 0 || about.st_size > MAX_BYTES)
    return pitv_throw_argument(env, "fd is not shared memory.");
  return map_file(env, (int)file, (size_t)about.st_size);
}

/*
 * unmapMemory(buffer): the ArrayBuffer is detached first, so that code which still holds it finds it
 * empty instead of touching memory that is gone.
 */
static napi_value unmap_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  void *address = NULL;
  size_t bytes = 0;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  if (napi_get_arraybuffer_info(env, arguments[0], &address, &bytes) != napi_ok || address == NULL)
    return pitv_throw_argument(env, "buffer is not mapped shared memory.");
  mapping *one = forget(NULL, address);
  if (one == NULL) return pitv_throw_argument(env, "buffer is not mapped shared memory.");
  /* A hold of our own: `one` is not in the list any more, and detaching may finalize and free it. */
  pthread_mutex_lock(&lock);
  one->holds++;
  pthread_mutex_unlock(&lock);
  napi_status detached = napi_detach_arraybuffer(env, arguments[0]);
  if (detached == napi_ok) give_up(one);
  else remember(one);
  pitv_memory_release(one);
  if (detached != napi_ok) return pitv_throw_napi(env, "Could not detach the shared memory");
  return NULL;
}

bool pitv_memory_init(napi_env env, napi_value exports) {
  return pitv_export(env, exports, "createMemory", create_memory) &&
         pitv_export(env, exports, "mapMemory", map_memory) &&
         pitv_export(env, exports, "unmapMemory", unmap_memory);
}

/*
 * Memory that processes share: an anonymous file in RAM (memfd_create(2)) that each of them maps. Its size is
 * sealed. Otherwise a broken worker could truncate the file, and the kernel would end every process that has it
 * mapped by SIGBUS, the TV included.
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

/* Mailboxes have up to about 320 MiB. A 32-bit process has no larger contiguous address range to spare. */
#define MAX_BYTES (INT64_C(1) << 30)

/* The mappings of all environments of this process (main thread and worker threads). */
static pitv_mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Adds a mapping, which the caller holds. Returns NULL when there is no memory. */
static pitv_mapping *add_mapping(void *address, size_t bytes) {
  pitv_mapping *added = malloc(sizeof *added);
  if (added == NULL) return NULL;
  pthread_mutex_lock(&lock);
  *added = (pitv_mapping){address, bytes, 1, mappings};
  mappings = added;
  pthread_mutex_unlock(&lock);
  return added;
}

pitv_mapping *pitv_memory_hold(const void *address) {
  pthread_mutex_lock(&lock);
  pitv_mapping *found = mappings;
  while (found != NULL && (uintptr_t)address - (uintptr_t)found->address >= found->bytes) found = found->next;
  if (found != NULL) found->holds++;
  pthread_mutex_unlock(&lock);
  return found;
}

void pitv_memory_release(pitv_mapping *held) {
  pthread_mutex_lock(&lock);
  const bool last = --held->holds == 0;
  for (pitv_mapping **at = &mappings; last && *at != NULL; at = &(*at)->next) {
    if (*at != held) continue;
    *at = held->next;
    break;
  }
  pthread_mutex_unlock(&lock);
  if (!last) return;
  munmap(held->address, held->bytes);
  free(held);
}

int pitv_memory_unshare(void) {
  int error = 0;
  pthread_mutex_lock(&lock);
  for (const pitv_mapping *at = mappings; error == 0 && at != NULL; at = at->next)
    if (mmap(at->address, at->bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      error = errno;
  pthread_mutex_unlock(&lock);
  return error;
}

/* What JavaScript gets. */
enum kind {
  BUFFER,
  ARENA, /* no ArrayBuffer: V8 would count all of it as used, and collect garbage more often for it */
};

typedef struct arena {
  pitv_mapping *mapping; /* NULL after unmapMemory() */
} arena;

/* Runs when an ArrayBuffer has been detached or collected, or when its environment ends. */
static void release_buffer(napi_env env, void *data, void *hint) {
  pitv_memory_release(hint);
}

/* Runs when an arena has been collected or its environment ends. */
static void release_arena(napi_env env, void *data, void *hint) {
  arena *released = data;
  if (released->mapping != NULL) pitv_memory_release(released->mapping);
  free(released);
}

/* Makes an ArrayBuffer, which takes over a hold of the caller. */
static napi_value make_buffer(napi_env env, pitv_mapping *held, void *address, size_t bytes) {
  napi_value buffer;
  if (napi_create_external_arraybuffer(env, address, bytes, release_buffer, held, &buffer) == napi_ok) return buffer;
  pitv_memory_release(held);
  return pitv_throw_napi(env, "This Node.js does not support external ArrayBuffers");
}

/* Makes an arena, which takes over a hold of the caller. */
static napi_value make_arena(napi_env env, pitv_mapping *held) {
  napi_value external;
  arena *made = malloc(sizeof *made);
  if (made != NULL) {
    made->mapping = held;
    if (napi_create_external(env, made, release_arena, NULL, &external) == napi_ok) return external;
    free(made);
  }
  pitv_memory_release(held);
  return pitv_throw_napi(env, "Could not return the shared memory");
}

static napi_value map_file(napi_env env, int file, size_t bytes, enum kind kind) {
  /* Pages are used from their first access on: few frames and checkpoints are as long as they may be. */
  void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED) return pitv_throw_errno(env, "mmap", errno, "Could not map the shared memory");
  pitv_mapping *added = add_mapping(address, bytes);
  if (added == NULL) {
    munmap(address, bytes);
    return pitv_throw_errno(env, "malloc", ENOMEM, "Could not map the shared memory");
  }
  return kind == ARENA ? make_arena(env, added) : make_buffer(env, added, address, bytes);
}

static napi_value create(napi_env env, napi_callback_info info, enum kind kind) {
  int64_t bytes;
  if (!pitv_number_argument(env, info, "bytes", MAX_BYTES, &bytes)) return NULL;
  if (bytes == 0) return pitv_throw_argument(env, "bytes must be at least 1.");
  const int file = memfd_create("pitv", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return pitv_throw_errno(env, "memfd_create", errno, "Could not make shared memory");
  const bool sized = ftruncate(file, bytes) == 0;
  if (!sized || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int error = errno;
    close(file);
    const char *call = sized ? "fcntl F_ADD_SEALS" : "ftruncate";
    return pitv_throw_errno(env, call, error, "Could not set the size of the shared memory");
  }
  napi_value buffer = map_file(env, file, (size_t)bytes, kind);
  napi_value result = PITV_OBJECT(env, {"buffer", buffer}, {"fd", pitv_make_number(env, file)});
  if (result == NULL) close(file);
  return result;
}

/* createMemory(bytes) -> {buffer: ArrayBuffer, fd: number} */
static napi_value create_memory(napi_env env, napi_callback_info info) {
  return create(env, info, BUFFER);
}

/* createArena(bytes) -> {buffer: arena, fd: number} */
static napi_value create_arena(napi_env env, napi_callback_info info) {
  return create(env, info, ARENA);
}

static napi_value map(napi_env env, napi_callback_info info, enum kind kind) {
  int64_t file;
  struct stat about;
  if (!pitv_number_argument(env, info, "fd", INT32_MAX, &file)) return NULL;
  if (fstat((int)file, &about) != 0)
    return pitv_throw_errno(env, "fstat", errno, "Could not inspect the shared memory");
  if (!S_ISREG(about.st_mode) || about.st_size <= 0 || about.st_size > MAX_BYTES)
    return pitv_throw_argument(env, "fd is not shared memory.");
  return map_file(env, (int)file, (size_t)about.st_size, kind);
}

/* mapMemory(fd) -> ArrayBuffer over the whole file */
static napi_value map_memory(napi_env env, napi_callback_info info) {
  return map(env, info, BUFFER);
}

/* mapArena(fd) -> arena */
static napi_value map_arena(napi_env env, napi_callback_info info) {
  return map(env, info, ARENA);
}

/* Reads an arena that is mapped. Throws and returns NULL for other values. */
static arena *read_arena(napi_env env, napi_value value) {
  void *data = NULL;
  if (napi_get_value_external(env, value, &data) == napi_ok && ((arena *)data)->mapping != NULL) return data;
  pitv_throw_argument(env, "This is not mapped shared memory.");
  return NULL;
}

/* Reads the arguments (arena, offset, bytes). Throws and returns NULL for other values. */
static pitv_mapping *read_part(napi_env env, napi_callback_info info, int64_t *offset, int64_t *bytes) {
  napi_value arguments[3];
  if (!pitv_arguments(env, info, 3, arguments)) return NULL;
  const arena *given = read_arena(env, arguments[0]);
  if (given == NULL) return NULL;
  const int64_t length = (int64_t)given->mapping->bytes;
  const bool valid = pitv_number(env, arguments[1], "offset", length, offset) &&
                     pitv_number(env, arguments[2], "bytes", length - *offset, bytes);
  return valid ? given->mapping : NULL;
}

/* viewMemory(arena, offset, bytes) -> ArrayBuffer over a part of the arena */
static napi_value view_memory(napi_env env, napi_callback_info info) {
  int64_t offset, bytes;
  pitv_mapping *mapping = read_part(env, info, &offset, &bytes);
  if (mapping == NULL) return NULL;
  pthread_mutex_lock(&lock);
  mapping->holds++;
  pthread_mutex_unlock(&lock);
  return make_buffer(env, mapping, (char *)mapping->address + offset, (size_t)bytes);
}

/* discardMemory(arena, offset, bytes) */
static napi_value discard_memory(napi_env env, napi_callback_info info) {
  int64_t offset, bytes;
  const pitv_mapping *mapping = read_part(env, info, &offset, &bytes);
  if (mapping == NULL) return NULL;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)mapping->address + (uintptr_t)offset;
  const uintptr_t from = (begin + page - 1) & ~(page - 1), to = (begin + (uintptr_t)bytes) & ~(page - 1);
  if (from < to && madvise((void *)from, to - from, MADV_REMOVE) != 0)
    return pitv_throw_errno(env, "madvise MADV_REMOVE", errno, "Could not free shared memory");
  return NULL;
}

/* unmapMemory(memory): code that still has an ArrayBuffer finds it empty */
static napi_value unmap_memory(napi_env env, napi_callback_info info) {
  napi_value argument;
  void *data = NULL;
  size_t bytes = 0;
  napi_valuetype type;
  if (!pitv_arguments(env, info, 1, &argument)) return NULL;
  if (napi_typeof(env, argument, &type) == napi_ok && type == napi_external) {
    arena *unmapped = read_arena(env, argument);
    if (unmapped == NULL) return NULL;
    pitv_memory_release(unmapped->mapping);
    unmapped->mapping = NULL;
    return NULL;
  }
  pitv_mapping *held = NULL;
  if (napi_get_arraybuffer_info(env, argument, &data, &bytes) == napi_ok && data != NULL)
    held = pitv_memory_hold(data);
  if (held == NULL) return pitv_throw_argument(env, "buffer is not mapped shared memory.");
  const bool detached = napi_detach_arraybuffer(env, argument) == napi_ok;
  pitv_memory_release(held);
  return detached ? NULL : pitv_throw_napi(env, "Could not detach the shared memory");
}

PITV_FUNCTIONS(memory, {"createMemory", create_memory}, {"mapMemory", map_memory}, {"createArena", create_arena},
               {"mapArena", map_arena}, {"viewMemory", view_memory}, {"discardMemory", discard_memory},
               {"unmapMemory", unmap_memory});

/*
 * Memory that processes share: an anonymous file in RAM (memfd_create(2)) that each of them maps. Its size is
 * sealed. Otherwise a broken worker could truncate the file, and the kernel would end every process that has it
 * mapped by SIGBUS, the TV included.
 */
#include "mappings.h"
#include "napi-util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Mailboxes have up to about 320 MiB. A 32-bit process has no larger contiguous address range to spare. */
#define MAX_BYTES (INT64_C(1) << 30)

/* Runs when the ArrayBuffer has been collected or its environment ends. */
static void finalize(napi_env env, void *data, void *hint) {
  (void)env;
  (void)data;
  pitv_mapping *finalized = hint;
  if (pitv_mapping_remove(finalized, NULL) != NULL) pitv_mapping_release(finalized);
  pitv_mapping_finalize(finalized);
}

/* What JavaScript gets. */
enum kind {
  BUFFER,
  ARENA, /* no ArrayBuffer: V8 would count all of it as used, and collect garbage more often for it */
};

static napi_status wrap(napi_env env, pitv_mapping *made, enum kind kind, napi_value *result) {
  return kind == ARENA ? napi_create_external(env, made, finalize, made, result)
                       : napi_create_external_arraybuffer(env, made->address, made->bytes, finalize, made, result);
}

static napi_value map_file(napi_env env, int file, size_t bytes, enum kind kind) {
  /* Pages are used from their first access on: few frames and checkpoints are as long as they may be. */
  void *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (address == MAP_FAILED)
    return pitv_throw_errno(env, "mmap", errno, "Could not map the shared memory");
  pitv_mapping *made = calloc(1, sizeof *made);
  if (made == NULL) {
    munmap(address, bytes);
    return pitv_throw_errno(env, "calloc", ENOMEM, "Could not map the shared memory");
  }
  made->address = address;
  made->bytes = bytes;
  made->arena = kind == ARENA;
  pitv_mapping_add(made);
  napi_value buffer;
  if (wrap(env, made, kind, &buffer) != napi_ok) {
    if (pitv_mapping_remove(made, NULL) != NULL) munmap(address, bytes);
    free(made);
    return pitv_throw_napi(env, "This Node.js does not support external ArrayBuffers");
  }
  return buffer;
}

/* Creates a file in RAM that has no name; `sealable` is set to whether its size can be sealed. */
static int create_file(const char **call, bool *sealable) {
  *sealable = true;
  *call = "memfd_create";
  int file = memfd_create("pitv", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 || errno != ENOSYS) return file;
  *sealable = false; /* Linux before 3.17 */
  *call = "open /dev/shm";
  return open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

static napi_value create(napi_env env, napi_callback_info info, enum kind kind) {
  int64_t bytes;
  const char *call;
  bool sealable;
  if (!pitv_number_argument(env, info, "bytes", MAX_BYTES, &bytes)) return NULL;
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
    return pitv_throw_errno(env, call, error, "Could not set the size of the shared memory");
  }
  napi_value buffer = map_file(env, file, (size_t)bytes, kind);
  napi_value fd, result;
  if (buffer == NULL) {
    close(file);
    return NULL;
  }
  if (napi_create_int32(env, file, &fd) != napi_ok || napi_create_object(env, &result) != napi_ok ||
      napi_set_named_property(env, result, "buffer", buffer) != napi_ok ||
      napi_set_named_property(env, result, "fd", fd) != napi_ok) {
    close(file);
    return pitv_throw_napi(env, "Could not return the shared memory");
  }
  return result;
}

/* createMemory(bytes) -> {buffer: ArrayBuffer, fd: number}, zeroed; a page uses memory from its first access on */
static napi_value create_memory(napi_env env, napi_callback_info info) {
  return create(env, info, BUFFER);
}

/* createArena(bytes) -> {buffer: arena, fd}: the same without an ArrayBuffer, see viewMemory() */
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

/* mapMemory(fd) -> ArrayBuffer over the whole file; the caller may close the descriptor afterwards */
static napi_value map_memory(napi_env env, napi_callback_info info) {
  return map(env, info, BUFFER);
}

/* mapArena(fd) -> arena */
static napi_value map_arena(napi_env env, napi_callback_info info) {
  return map(env, info, ARENA);
}

/* Reads an arena or an ArrayBuffer of shared memory. Throws and returns false for other values. */
static bool read_memory(napi_env env, napi_value value, char **address, size_t *bytes) {
  void *data = NULL;
  napi_valuetype type;
  if (napi_typeof(env, value, &type) == napi_ok && type == napi_external) {
    if (napi_get_value_external(env, value, &data) != napi_ok) data = NULL;
    if (!pitv_mapping_read(data, &data, bytes)) data = NULL;
  } else if (napi_get_arraybuffer_info(env, value, &data, bytes) != napi_ok) {
    data = NULL;
  }
  if (data == NULL) pitv_throw_argument(env, "This is not mapped shared memory.");
  *address = data;
  return data != NULL;
}

/* Runs when a part of shared memory has been collected. */
static void release_part(napi_env env, void *data, void *hint) {
  (void)env;
  (void)data;
  pitv_memory_release(hint);
}

/*
 * viewMemory(memory, offset, bytes) -> ArrayBuffer over a part of shared memory. The memory stays mapped while there
 * are such parts, even if it is unmapped meanwhile.
 */
static napi_value view_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[3], part;
  char *address = NULL;
  size_t length = 0;
  int64_t offset, bytes;
  if (!pitv_arguments(env, info, 3, arguments) || !read_memory(env, arguments[0], &address, &length)) return NULL;
  pitv_mapping *held = pitv_memory_hold(address);
  if (held == NULL) return pitv_throw_argument(env, "This is not mapped shared memory.");
  if (pitv_number(env, arguments[1], "offset", (int64_t)length - 1, &offset) &&
      pitv_number(env, arguments[2], "bytes", (int64_t)length - offset, &bytes)) {
    if (napi_create_external_arraybuffer(env, address + offset, (size_t)bytes, release_part, held, &part) == napi_ok)
      return part;
    pitv_throw_napi(env, "This Node.js does not support external ArrayBuffers");
  }
  pitv_memory_release(held);
  return NULL;
}

/* discardMemory(memory, offset, bytes): returns whole pages of shared memory to the system; they are zero afterwards */
static napi_value discard_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[3];
  char *address = NULL;
  size_t length = 0;
  int64_t offset, bytes;
  if (!pitv_arguments(env, info, 3, arguments) || !read_memory(env, arguments[0], &address, &length)) return NULL;
  if (!pitv_number(env, arguments[1], "offset", (int64_t)length, &offset) ||
      !pitv_number(env, arguments[2], "bytes", (int64_t)length - offset, &bytes))
    return NULL;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t from = ((uintptr_t)address + (uintptr_t)offset + page - 1) & ~(page - 1);
  const uintptr_t to = ((uintptr_t)address + (uintptr_t)offset + (uintptr_t)bytes) & ~(page - 1);
  if (from < to && madvise((void *)from, to - from, MADV_REMOVE) != 0)
    return pitv_throw_errno(env, "madvise MADV_REMOVE", errno, "Could not free shared memory");
  return NULL;
}

/* Unmaps an arena, or has the last part of it do so. */
static napi_value unmap_arena(napi_env env, napi_value arena) {
  void *data = NULL;
  pitv_mapping *found = NULL;
  if (napi_get_value_external(env, arena, &data) == napi_ok && data != NULL) found = pitv_mapping_remove(data, NULL);
  if (found == NULL) return pitv_throw_argument(env, "This is not mapped shared memory.");
  pitv_mapping_release(found);
  return NULL;
}

static napi_value detach_part(napi_env env, napi_value part, const void *address) {
  pitv_mapping *held = pitv_memory_hold(address);
  if (held == NULL) return pitv_throw_argument(env, "buffer is not mapped shared memory.");
  const bool detached = napi_detach_arraybuffer(env, part) == napi_ok;
  pitv_memory_release(held);
  return detached ? NULL : pitv_throw_napi(env, "Could not detach the shared memory");
}

/*
 * unmapMemory(buffer): detaches the ArrayBuffer, then unmaps its memory. Code that still has the buffer then finds
 * it empty instead of accessing unmapped memory. An arena is unmapped once no part of it is left: a part is only
 * detached.
 */
static napi_value unmap_memory(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  void *address = NULL;
  size_t bytes = 0;
  napi_valuetype type;
  if (!pitv_arguments(env, info, 1, arguments)) return NULL;
  if (napi_typeof(env, arguments[0], &type) == napi_ok && type == napi_external)
    return unmap_arena(env, arguments[0]);
  if (napi_get_arraybuffer_info(env, arguments[0], &address, &bytes) != napi_ok || address == NULL)
    return pitv_throw_argument(env, "buffer is not mapped shared memory.");
  pitv_mapping *found = pitv_mapping_remove(NULL, address);
  if (found == NULL) return detach_part(env, arguments[0], address);
  /* This hold keeps `found` valid: detaching may run finalize(), which would free it. */
  pitv_mapping_hold(found);
  napi_status detached = napi_detach_arraybuffer(env, arguments[0]);
  if (detached == napi_ok) pitv_mapping_release(found);
  else pitv_mapping_add(found);
  pitv_memory_release(found);
  if (detached != napi_ok) return pitv_throw_napi(env, "Could not detach the shared memory");
  return NULL;
}

PITV_FUNCTIONS(memory, {"createMemory", create_memory}, {"mapMemory", map_memory}, {"createArena", create_arena},
               {"mapArena", map_arena}, {"viewMemory", view_memory}, {"discardMemory", discard_memory},
               {"unmapMemory", unmap_memory});

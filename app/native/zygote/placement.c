/*
 * Where V8's heap lies. V8 maps each chunk of it, 256 KiB, at a random address of its own, so that its page tables take
 * 8 to 12 KiB, which each fork() makes once more. Where this addon is preloaded, the kernel chooses the addresses, and
 * the chunks lie side by side. It still chooses at random where they begin. The large reservations, for code and for
 * WebAssembly, stay where V8 wants them.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The tables of a 32-bit process are small. */
#if UINTPTR_MAX > UINT32_MAX
#define MAX_CHUNK_BYTES (4u << 20)

/* Replaces the function of the C library only where this addon is loaded by LD_PRELOAD. */
__attribute__((visibility("default"))) void *mmap64(void *address, size_t length, int access, int flags, int file,
                                                    off_t offset) {
  const int fixed = MAP_FIXED | MAP_FIXED_NOREPLACE;
  if ((flags & MAP_ANONYMOUS) && !(flags & fixed) && length <= MAX_CHUNK_BYTES) address = NULL;
  return (void *)syscall(SYS_mmap, address, length, access, flags, file, offset);
}
#endif

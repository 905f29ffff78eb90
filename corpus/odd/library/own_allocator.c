// An allocator in a shared library, as jemalloc and others are: memory is never used twice.
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static _Alignas(4096) char memory[16 << 20];
static size_t used;
int own_calls;

static void* take(size_t alignment, size_t bytes) {
  __atomic_fetch_add(&own_calls, 1, __ATOMIC_RELAXED);
  if (bytes > sizeof memory / 4) return NULL;
  const size_t room = bytes + alignment + 32;
  const size_t end = __atomic_add_fetch(&used, room, __ATOMIC_RELAXED);
  if (end > sizeof memory) return NULL;
  const uintptr_t begin = (uintptr_t)memory + end - room + 16;
  char* block = (char*)((begin + alignment - 1) / alignment * alignment);
  memcpy(block - sizeof bytes, &bytes, sizeof bytes);
  return block;
}

static size_t size_of(void* block) {
  size_t bytes;
  memcpy(&bytes, (char*)block - sizeof bytes, sizeof bytes);
  return bytes;
}

void* malloc(size_t bytes) { return take(16, bytes); }
void* calloc(size_t count, size_t size) { return take(16, count * size); }
void* memalign(size_t alignment, size_t bytes) { return take(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return take(alignment, bytes); }
int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = take(alignment, bytes);
  return *block != NULL ? 0 : ENOMEM;
}
size_t malloc_usable_size(void* block) { return block != NULL ? size_of(block) : 0; }
// A block that is not of this library ends the program: whoever took part of the calls away would be noticed.
void free(void* block) {
  if (block != NULL && ((char*)block < memory || (char*)block >= memory + sizeof memory)) __builtin_trap();
}
void* realloc(void* block, size_t bytes) {
  void* moved = take(16, bytes);
  if (block != NULL && moved != NULL) memcpy(moved, block, size_of(block) < bytes ? size_of(block) : bytes);
  free(block);
  return moved;
}

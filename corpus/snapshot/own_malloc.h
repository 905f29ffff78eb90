// An allocator that the program brings and that takes a mutex, as simple as one can be.
#pragma once

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { HEADER = 16, ARENA = 1 << 24 };

static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(HEADER) char arena[ARENA];
static size_t used;
static int blocks;

void* malloc(size_t bytes) {
  pthread_mutex_lock(&arena_mutex);
  char* const block = arena + used;
  memcpy(block, &bytes, sizeof bytes);
  used += (bytes + 2 * HEADER - 1) & ~(size_t)(HEADER - 1);
  ++blocks;
  pthread_mutex_unlock(&arena_mutex);
  return block + HEADER;
}

void free(void* block) {
  if (block == NULL) return;
  pthread_mutex_lock(&arena_mutex);
  --blocks;
  pthread_mutex_unlock(&arena_mutex);
}

void* calloc(size_t count, size_t bytes) { return memset(malloc(count * bytes), 0, count * bytes); }

void* realloc(void* block, size_t bytes) {
  void* const other = malloc(bytes);
  if (block == NULL) return other;
  size_t before;
  memcpy(&before, (char*)block - HEADER, sizeof before);
  return memcpy(other, block, before < bytes ? before : bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  const uintptr_t block = (uintptr_t)malloc(bytes + alignment + HEADER);
  return (void*)((block + alignment - 1) & ~(alignment - 1));
}

void* memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }

int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = aligned_alloc(alignment, bytes);
  return 0;
}

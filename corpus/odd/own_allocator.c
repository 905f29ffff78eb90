// The program defines malloc and its family itself: its definitions come first everywhere.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(4096) char memory[16 << 20];
static size_t used;
static int own_calls;

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
// A block that is not of this allocator ends the program: whoever took part of the calls away would be noticed.
void free(void* block) {
  if (block != NULL && ((char*)block < memory || (char*)block >= memory + sizeof memory)) __builtin_trap();
}
void* realloc(void* block, size_t bytes) {
  void* moved = take(16, bytes);
  if (block != NULL && moved != NULL) memcpy(moved, block, size_of(block) < bytes ? size_of(block) : bytes);
  free(block);
  return moved;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* words[2];
static int count;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  words[count++] = strdup("a word");
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(own_calls >= 2);
  for (int i = 0; i < 2; ++i) {
    assert(strcmp(words[i], "a word") == 0 && words[i] > memory && words[i] < memory + sizeof memory);
    free(words[i]);
  }
  return 0;
}

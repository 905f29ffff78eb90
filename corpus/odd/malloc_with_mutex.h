// A malloc() of the program's own that takes a mutex, as simple ones do: the loader and the runtime call it, too, when
// they look for functions and make threads. Two threads count.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER, count_mutex = PTHREAD_MUTEX_INITIALIZER;
static char *next_byte, *arena_end;
static int count;

static void* take(size_t size) {
  pthread_mutex_lock(&arena_mutex);
  const size_t needed = (size + 31) & ~(size_t)15;  // 16 bytes in front hold the size
  if (needed > (size_t)(arena_end - next_byte)) {
    const size_t arena = needed > 1 << 20 ? needed : 1 << 20;
    next_byte = mmap(NULL, arena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    arena_end = next_byte + arena;
  }
  char* block = next_byte;
  next_byte += needed;
  pthread_mutex_unlock(&arena_mutex);
  *(size_t*)block = size;
  return block + 16;
}

void* malloc(size_t size) { return take(size); }
void free(void* block) { (void)block; }
void* calloc(size_t number, size_t size) { return take(number * size); }
void* realloc(void* block, size_t size) {
  void* larger = take(size);
  if (block == NULL) return larger;
  const size_t before = *(size_t*)((char*)block - 16);
  return memcpy(larger, block, before < size ? before : size);
}

static void* increment(void* unused);

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2);
  return 0;
}

// Large blocks: one from before the threads is freed in each execution and whole again in the next; fresh ones are
// zero, whatever was in that memory before.
// heddle: run
// expect: clean bound 1
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kLarge = 20000000, kPage = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* large;

static void* release(void* unused) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < kLarge; i += kPage) assert(large[i] == 7);
  free(large);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* allocate(void* unused) {
  static const size_t sizes[] = {200, 3000, 100000, 700000};
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 4; ++i) {
    char* block = calloc(1, sizes[i]);
    for (size_t at = 0; at < sizes[i]; ++at) assert(block[at] == 0);
    memset(block, 1, sizes[i]);
    if (i % 2 == 0) free(block);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  large = malloc(kLarge);
  memset(large, 7, kLarge);
  void* behind = malloc(kLarge / 50);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, release, NULL);
  pthread_create(&threads[1], NULL, allocate, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  free(behind);
  return 0;
}

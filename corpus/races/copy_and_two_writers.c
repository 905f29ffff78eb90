// Twelve bytes are moved within a block while two other threads write to where they begin and to where they end. The
// assertion fails where the first writes behind the move, and the other one behind that.
// heddle: run --search=dpor --races=report
// expect: bug assertion
// says: data race
// twin: races/copy_of_a_part.c
// build: heddle-cc clang
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static unsigned char* bytes;

static void* write_first(void* unused) {
  __atomic_store_n((long*)bytes, 7, __ATOMIC_RELAXED);
  return unused;
}

static void* write_last(void* unused) {
  __atomic_store_n(bytes + 16, 97, __ATOMIC_RELAXED);
  return unused;
}

static void* move(void* unused) {
  memmove(bytes, bytes + 8, 12);
  return unused;
}

int main(void) {
  void* (*const work[])(void*) = {write_first, write_last, move};
  pthread_t threads[3];
  bytes = calloc(1, 64);
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, work[i], NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  assert(!(bytes[0] == 7 && bytes[8] == 0));
  return 0;
}

// The program defines malloc and its family itself: its definitions come first everywhere.
// heddle: run
// expect: clean complete
#include "odd/library/own_allocator.c"  // the allocator that another program has in a library

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

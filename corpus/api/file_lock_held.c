// A FILE locked across another lock; others print to it meanwhile, and so wait inside libc, which is a futex of its
// own.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;
static char text[64];

static void* printer(void* word) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  fputs(word, file);
  return NULL;
}

static void* holder(void* unused) {
  flockfile(file);
  putc_unlocked('a', file);
  pthread_mutex_lock(&lock);
  putc_unlocked('b', file);
  pthread_mutex_unlock(&lock);
  assert(ftrylockfile(file) == 0);  // it may be taken again
  funlockfile(file);
  funlockfile(file);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  file = fmemopen(text, sizeof text, "w");
  pthread_create(&threads[0], NULL, holder, NULL);
  pthread_create(&threads[1], NULL, printer, "c");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  fflush(file);
  assert((text[0] == 'a' && text[1] == 'b' && text[2] == 'c') || (text[0] == 'c' && text[1] == 'a' && text[2] == 'b'));
  return 0;
}

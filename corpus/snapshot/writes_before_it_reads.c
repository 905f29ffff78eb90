// Two threads look at stack memory that they have written.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// twin: reads_dead_stack.c
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORDS = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
  unsigned long words[WORDS];
  for (int i = 0; i < WORDS; ++i) words[i] = (unsigned long)i;
  enter();
  __asm__ volatile("" : "+m"(words));
  for (int i = 0; i < WORDS; ++i) assert(words[i] == (unsigned long)i);
  enter();
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

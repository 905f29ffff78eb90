// Two threads look at stack memory that they have not written: what is there must follow from the schedule, and neither
// from checkpoints nor from what was run before. The exit status tells of the words that the argument names.
// heddle: run --max-preemptions=2 --reduction=none --determinism-check=0
// expect: bug exit at bound 0
// twin: writes_before_it_reads.c
// runner: isolation_test.py
#include <pthread.h>
#include <stdlib.h>

enum { WORDS = 64, AT_ONCE = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long seen[2][WORDS];

static void enter(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) static void look(unsigned long* to) {
  unsigned long words[WORDS];
  __asm__ volatile("" : "+m"(words));
  for (int i = 0; i < WORDS; ++i) to[i] = words[i];
}

static void* work(void* to) {
  enter();
  look(to);
  enter();
  return NULL;
}

int main(int count, char** arguments) {
  if (count != 2) return 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, seen[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const int first = atoi(arguments[1]);
  unsigned long sum = 0;
  for (int i = first; i < first + AT_ONCE; ++i) sum = (sum ^ seen[i / WORDS][i % WORDS]) * 0x9e3779b97f4a7c15ul;
  return 1 + (int)(sum >> 58);
}

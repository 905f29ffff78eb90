// Two threads poll, each for what the other would do behind its own loop, and neither yields. That both count as
// yielding helps neither: they go round for ever.
// heddle: run
// expect: bug livelock at bound 0
// twin: polls_then_reads_fixed
// runner: livelock_test.py
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int went[2];
static int has_gone(int which) {
  pthread_mutex_lock(&lock);
  const int is = went[which];
  pthread_mutex_unlock(&lock);
  return is;
}
static void go(int which) {
  pthread_mutex_lock(&lock);
  went[which] = 1;
  pthread_mutex_unlock(&lock);
}
static void* first(void* unused) {
  while (!has_gone(1)) continue;
  go(0);
  return unused;
}
static void* second(void* unused) {
  while (!has_gone(0)) continue;
  go(1);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

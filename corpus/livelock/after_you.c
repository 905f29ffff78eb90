// Each of two threads says that it wants, and then waits, yielding, for the other to lose interest: none does.
// heddle: run
// expect: bug livelock at bound 1
// twin: after_you_fixed
// runner: livelock_test.py
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int want[2];
static int get(int who) {
  pthread_mutex_lock(&lock);
  const int value = want[who];
  pthread_mutex_unlock(&lock);
  return value;
}
static void set(int who, int value) {
  pthread_mutex_lock(&lock);
  want[who] = value;
  pthread_mutex_unlock(&lock);
}
static void* work(void* argument) {
  const int self = *(const int*)argument;
  set(self, 1);
  while (get(1 - self)) sched_yield();
  set(self, 0);
  return NULL;
}
int main(void) {
  static const int id[] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void*)&id[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

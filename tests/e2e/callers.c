// Two threads that come to the same lines of one function, each from a function of its own.
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int items;
static __attribute__((noinline)) void add(int how_many) {
  pthread_mutex_lock(&mutex);
  items += how_many;
  pthread_mutex_unlock(&mutex);
}
static void* fill(void* unused) {
  add(1);
  return unused;
}
static void* drain(void* unused) {
  add(-1);
  return unused;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&other, 0, drain, 0);
  pthread_join(one, 0);
  pthread_join(other, 0);
  return 0;
}

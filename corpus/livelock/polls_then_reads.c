// Polls a flag under its lock, never yields, and then reads what was to be written before the flag. The loop counts as
// yielding: the search goes on, and finds what is wrong.
// heddle: run
// expect: bug assertion at bound 1
// twin: polls_then_reads_fixed
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, data;
static void put(int* variable) {
  pthread_mutex_lock(&lock);
  *variable = 1;
  pthread_mutex_unlock(&lock);
}
static int get(const int* variable) {
  pthread_mutex_lock(&lock);
  const int is = *variable;
  pthread_mutex_unlock(&lock);
  return is;
}
static void* write_both(void* unused) {
  put(&ready);  // the bug: too early
  put(&data);
  return unused;
}
int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_both, NULL);
  while (!get(&ready)) continue;
  assert(get(&data) == 1);
  return pthread_join(writer, NULL);
}

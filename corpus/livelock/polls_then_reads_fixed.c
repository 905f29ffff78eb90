// What is read behind the loop is written before the flag that the loop waits for.
// heddle: run
// expect: clean bound 2
// says: never yields, while
// twin: polls_then_reads
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
  put(&data);
  put(&ready);
  return unused;
}
int main(void) {
  pthread_t writer;
  pthread_create(&writer, NULL, write_both, NULL);
  while (!get(&ready)) continue;
  assert(get(&data) == 1);
  return pthread_join(writer, NULL);
}

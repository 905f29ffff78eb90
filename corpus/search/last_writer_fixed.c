// As last_writer.c, but both write under the same mutex: what is in memory at the end depends on the order of its
// sections alone.
//
// heddle: run
// expect: clean complete
// says: or is equivalent to one that was
// twin: last_writer.c
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int last_writer;

static void* write_to_it(void* writer) {
  pthread_mutex_lock(&mutex);
  last_writer = *(int*)writer;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  int writers[2] = {1, 2};
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, write_to_it, &writers[0]);
  pthread_create(&threads[1], NULL, write_to_it, &writers[1]);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}

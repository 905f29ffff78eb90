// As closed_before_write.c, but the lock is held while the descriptor is written to: it is closed before or after.
//
// heddle: run
// expect: clean complete
// twin: closed_before_write.c
#include <assert.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter = -1;

static void* make(void* argument) {
  counter = eventfd(0, 0);
  assert(counter >= 0);
  return argument;
}

static void* write_to_it(void* argument) {
  pthread_mutex_lock(&lock);
  const int counter_is_written = counter < 0 || eventfd_write(counter, 1) == 0;
  pthread_mutex_unlock(&lock);
  assert(counter_is_written);
  return argument;
}

static void* close_it(void* argument) {
  pthread_mutex_lock(&lock);
  const int descriptor = counter;
  counter = -1;
  pthread_mutex_unlock(&lock);
  close(descriptor);
  return argument;
}

int main(void) {
  pthread_t writer, closer;
  pthread_create(&writer, NULL, make, NULL);
  pthread_join(writer, NULL);
  pthread_create(&writer, NULL, write_to_it, NULL);
  pthread_create(&closer, NULL, close_it, NULL);
  pthread_join(writer, NULL);
  pthread_join(closer, NULL);
}

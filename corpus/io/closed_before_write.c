// A thread looks a descriptor up under a lock and writes to it when it has given the lock back. Closing takes it out
// under the lock too, but may come in between: then the number leads nowhere, and the write fails with EBADF. One
// preemption, between the unlock and the write, which could block and so might be in the kernel already.
//
// heddle: run
// expect: bug assertion at bound 1
// says: counter_is_written
// twin: closed_before_write_fixed.c
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
  const int descriptor = counter;
  pthread_mutex_unlock(&lock);
  const int counter_is_written = descriptor < 0 || eventfd_write(descriptor, 1) == 0;
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

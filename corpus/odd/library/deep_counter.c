// A library with a lock of its own: the value that it adds to may be old.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

int add(int number) {
  pthread_mutex_lock(&lock);
  const int before = total;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  total = before + number;
  pthread_mutex_unlock(&lock);
  return total;
}

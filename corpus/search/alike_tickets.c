// Two threads that are started alike draw tickets, and main expects that the first one has drawn the lower. It gets
// what each has returned, so they are not interchangeable.
// heddle: run --search=bounded
// expect: bug assertion at bound 0
// says: first < second
// twin: alike_tickets_fixed.c
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static intptr_t tickets;

static void* draw(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  const intptr_t own = ++tickets;
  pthread_mutex_unlock(&lock);
  return (void*)own;
}

int main(void) {
  pthread_t threads[2];
  void *first, *second;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, draw, NULL);
  pthread_join(threads[0], &first);
  pthread_join(threads[1], &second);
  assert(first < second);
  return 0;
}

// A thread with a stack of STACK_BYTES that goes 400 KB deep where the other one was first.
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

static int descend(int depth) {
  volatile char room[4000];
  memset((char*)room, depth, sizeof room);
  return depth == 0 ? room[5] : descend(depth - 1) + room[7];
}

static void* work(void* number) {
  pthread_mutex_lock(&lock);
  if (first == 0) first = *(int*)number;
  const int depth = *(int*)number == 1 && first == 2 ? 100 : 3;
  pthread_mutex_unlock(&lock);
  descend(depth);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {1, 2};
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, STACK_BYTES);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], &small, work, &numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// All memory is locked, what there is and what is to come, as programs with deadlines do. A value is set and used in
// one section.
// heddle: run
// expect: clean complete
// twin: memory_locked.c
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int owner;

static void* own(void* number) {
  pthread_mutex_lock(&mutex);
  owner = *(int*)number;

  assert(owner == *(int*)number);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  mlockall(MCL_CURRENT | MCL_FUTURE);  // may be refused: nothing depends on it
  pthread_t threads[2];
  int numbers[2] = {1, 2};
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, own, &numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  munlockall();
  return 0;
}

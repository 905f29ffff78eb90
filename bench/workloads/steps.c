// As many synchronization operations as one likes, by any number of tasks that all exist at once:
// steps TASKS OPERATIONS [STATUS]. The program exits with STATUS, so that a run can be made to write a trace. The locks
// are taken in an irregular order, since a trace file folds repetitions.
#include <pthread.h>
#include <stdlib.h>

enum { LOCKS = 64 };
static pthread_mutex_t locks[LOCKS];
static long rounds_each;

static void* work(void* unused) {
  unsigned random = 1;
  for (long i = 0; i < rounds_each; ++i) {
    random = random * 1664525 + 1013904223;
    pthread_mutex_t* lock = &locks[random / (1u << 26)];
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
  }
  return unused;
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const int tasks = atoi(arguments[1]);
  rounds_each = atol(arguments[2]) / 2 / tasks;
  for (int i = 0; i < LOCKS; ++i) pthread_mutex_init(&locks[i], NULL);
  pthread_t* threads = calloc((size_t)tasks, sizeof *threads);
  for (int i = 0; i < tasks; ++i)
    if (pthread_create(&threads[i], NULL, work, NULL) != 0) return 2;
  for (int i = 0; i < tasks; ++i) pthread_join(threads[i], NULL);
  free(threads);
  return count > 3 ? atoi(arguments[3]) : 0;
}

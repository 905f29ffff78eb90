// The job's block was another's before, which left 'x' in it.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct job {
  char name[24];
  atomic_int ready;
};

static struct job* job;

static void make_job(void) {
  char* text = malloc(sizeof *job);
  memset(text, 'x', sizeof *job);
  free(text);
  job = malloc(sizeof *job);
}

static void* make_ready(void* unused) {
  atomic_store(&job->ready, 1);
  return unused;
}

static void* take(void* unused) {
  assert(atomic_load(&job->ready) != 0);
  return unused;
}

static int run_threads(int ready) {
  pthread_t threads[2];
  if (ready) atomic_store(&job->ready, 1);
  pthread_create(&threads[0], NULL, make_ready, NULL);
  pthread_create(&threads[1], NULL, take, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

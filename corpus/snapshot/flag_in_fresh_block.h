// A block of each size, all zero, of which one is a job that a thread makes ready and another takes.
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job {
  int number;
  atomic_int ready;
};

static struct job* job;

static void make_jobs(void) {
  for (size_t bytes = 8; bytes <= 400000; bytes += bytes / 4 + 8) {
    unsigned char* block = malloc(bytes);
    size_t sum = 0;
    for (size_t i = 0; i < malloc_usable_size(block); ++i) sum += block[i];
    if (sum != 0) abort();
  }
  job = malloc(sizeof *job);
  job->number = 1;
}

static void* make_ready(void* unused) {
  atomic_store(&job->ready, 1);
  return unused;
}

static void* take(void* unused) {
  assert(atomic_load(&job->ready) != 0);
  return unused;
}

static int run_threads(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, make_ready, NULL);
  pthread_create(&threads[1], NULL, take, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// The worker says that it is done while it holds the job's mutex. Main may free the job before the worker unlocks. The
// memory becomes another job then, whose mutex nobody holds.
// heddle: run
// expect: bug misuse at bound 1
// twin: freed_by_next_owner_fixed.c
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct job {
  pthread_mutex_t lock;
  int done;
};

static sem_t is_done;

static void* work(void* argument) {
  struct job* job = argument;
  pthread_mutex_lock(&job->lock);
  job->done = 1;
#ifndef LOCKED
  sem_post(&is_done);
#endif
  pthread_mutex_unlock(&job->lock);
  return NULL;
}

static struct job* make_job(void) {
  struct job* job = malloc(sizeof *job);
  pthread_mutex_init(&job->lock, NULL);
  job->done = 0;
  return job;
}

// Whoever has found the job done under its mutex is the last to use it, even before the worker's unlock has returned.
static void wait_for(struct job* job) {
#ifdef LOCKED
  for (int done = 0; !done;) {
    pthread_mutex_lock(&job->lock);
    done = job->done;
    pthread_mutex_unlock(&job->lock);
  }
#else
  (void)job;
  sem_wait(&is_done);
#endif
}

int main(void) {
  sem_init(&is_done, 0, 0);
  struct job* job = make_job();
  pthread_t worker;
  pthread_create(&worker, NULL, work, job);
  wait_for(job);
  free(job);
  struct job* next = make_job();
  pthread_join(worker, NULL);
  free(next);
  return 0;
}

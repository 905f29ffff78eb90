// What message_queue_workers and its twin share.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static mqd_t jobs;
static void* worker(void* unused);

static int run(int flags) {
  pthread_t threads[2];
  char name[32];
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  snprintf(name, sizeof name, "/heddle-%d", (int)getpid());
  jobs = mq_open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600, &attributes);
  assert(jobs >= 0 && mq_unlink(name) == 0 && mq_send(jobs, "j", 1, 0) == 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return mq_close(jobs);
}

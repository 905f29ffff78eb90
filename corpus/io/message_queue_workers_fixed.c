// The twin of message_queue_workers: who finds the queue empty does not wait.
// heddle: run
// expect: clean complete
// isolation: exec
#include "message_queue_workers.h"

static void* worker(void* unused) {
  char job[8];
  if (mq_receive(jobs, job, sizeof job, NULL) < 0) assert(errno == EAGAIN);
  return unused;
}

int main(void) { return run(O_NONBLOCK); }

// Two workers share a message queue that holds one job. Each looks whether there is a job before it takes it; between
// the look and the taking the other may take it, and then one of them waits for ever.
// heddle: run
// expect: bug deadlock at bound 1
// isolation: exec
#include "message_queue_workers.h"

static void* worker(void* unused) {
  struct mq_attr state;
  char job[8];
  assert(mq_getattr(jobs, &state) == 0);
  if (state.mq_curmsgs > 0) assert(mq_receive(jobs, job, sizeof job, NULL) == 1);
  return unused;
}

int main(void) { return run(0); }

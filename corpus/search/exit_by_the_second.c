// Two threads enter once; whoever comes second ends the process. Five executions differ. That exit() begins is no step
// of a graph: only the end itself is.
// heddle: run --reduction=none
// expect: clean complete
// says: 5 of them different up to the order of independent steps
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static int entered;

static void enter_once(void) {
  pthread_mutex_lock(&gate);
  if (entered) _exit(0);
  entered = 1;
  pthread_mutex_unlock(&gate);
}

static void* work(void* argument) {
  enter_once();
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  enter_once();
  return 0;
}

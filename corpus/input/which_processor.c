// Which processor a thread is on decides what it does. It is pinned to one that differs from worker to worker; it sees
// one that depends on nothing but itself.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static pthread_mutex_t shards[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void* work(void* unused) {
  unsigned processor = 0, node = 0;
  assert(getcpu(&processor, &node) == 0);
  assert((int)processor == sched_getcpu());
  assert((long)processor < sysconf(_SC_NPROCESSORS_CONF));
  pthread_mutex_lock(&shards[processor % 2]);
  pthread_mutex_unlock(&shards[processor % 2]);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}

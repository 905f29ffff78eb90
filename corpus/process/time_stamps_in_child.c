// A forked child reads the time stamp counter by the virtual clock, as its parent does, and what it executes reads the
// processor's.
// heddle: run --max-preemptions=1
// expect: clean bound 1
// isolation: fork
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static void* start(void* unused) {
  const unsigned long long before = __rdtsc();
  const pid_t child = fork();
  if (child == 0) {
    const struct timespec second = {1, 0};
    nanosleep(&second, NULL);
    const unsigned long long ticks = __rdtsc() - before;
    if (ticks < 1000000000 || ticks > 100000000000) _exit(1);
    execl("/bin/true", "true", (char*)NULL);
    _exit(2);
  }
  int status = -1;
  assert(waitpid(child, &status, 0) == child && status == 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, start, NULL);
  pthread_join(thread, NULL);
  return 0;
}

// main polls a pipe in a loop, without waiting, until another thread has slept and written.
// heddle: run --max-preemptions=0
// expect: clean bound 0
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void* sleeper(void* unused) {
  usleep(1000);
  if (write(ends[1], "x", 1) != 1) _exit(1);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pipe(ends) != 0) return 1;
  struct pollfd entry = {ends[0], POLLIN, 0};
  pthread_create(&thread, NULL, sleeper, NULL);
  while (poll(&entry, 1, 0) == 0) continue;
  return pthread_join(thread, NULL);
}

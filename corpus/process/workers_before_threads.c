// The program forks its workers before it creates a thread, and waits for them at the end: only a fresh start has them
// anew.
// heddle: run --max-preemptions=2
// expect: clean bound 2
// isolation: exec
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWorkers = 2 };
static int requests[kWorkers][2], answers[kWorkers][2];

static void serve(int worker) {
  int number = 0;
  for (int i = 0; i < kWorkers; ++i) {
    close(requests[i][1]);
    close(answers[i][0]);
  }
  while (read(requests[worker][0], &number, sizeof number) == sizeof number) {
    number *= 2;
    if (write(answers[worker][1], &number, sizeof number) != sizeof number) _exit(1);
  }
  _exit(0);
}

static void* ask(void* argument) {
  const int worker = (int)(size_t)argument;
  int number = 20 + worker;
  assert(write(requests[worker][1], &number, sizeof number) == sizeof number);
  assert(read(answers[worker][0], &number, sizeof number) == sizeof number);
  assert(number == 2 * (20 + worker));
  return NULL;
}

int main(void) {
  pthread_t threads[kWorkers];
  pid_t workers[kWorkers];
  for (int i = 0; i < kWorkers; ++i) assert(pipe(requests[i]) == 0 && pipe(answers[i]) == 0);
  for (int i = 0; i < kWorkers; ++i)
    if ((workers[i] = fork()) == 0) serve(i);
  for (int i = 0; i < kWorkers; ++i) close(requests[i][0]);
  for (int i = 0; i < kWorkers; ++i) pthread_create(&threads[i], NULL, ask, (void*)(size_t)i);
  for (int i = 0; i < kWorkers; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kWorkers; ++i) close(requests[i][1]);
  for (int i = 0; i < kWorkers; ++i) {
    int status = 1;
    assert(waitpid(workers[i], &status, 0) == workers[i] && status == 0);
  }
  return 0;
}

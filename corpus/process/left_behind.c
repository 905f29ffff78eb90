// Children that nobody waits for, one of them in a session of its own: none of them is left in the next execution.
// heddle: run
// expect: clean complete
// isolation: fork
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Held as long as any process has the descriptor open.
static void hold_name(const char* name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "heddle-test-%s-%d", name, (int)getppid());
  const int holder = socket(AF_UNIX, SOCK_DGRAM, 0);
  assert(bind(holder, (struct sockaddr*)&address, sizeof address) == 0);
}

static void leave(int with_session) {
  if (fork() != 0) return;
  if (with_session) setsid();
  if (fork() != 0) _exit(0);
  alarm(3);  // natively they would stay
  for (;;) pause();
}

static void* work(void* unused) {
  hold_name("left");
  leave(0);
  leave(1);
  return unused;
}

static void* look_on(void* unused) { return unused; }

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_create(&threads[1], NULL, look_on, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

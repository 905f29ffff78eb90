// main() unlocks a mutex that nobody holds, before it creates its first thread.
// heddle: run
// expect: bug misuse at bound 0
// says: main unlocked a mutex that nobody holds (settings)
// says: unlock_before_threads.c:14
// twin: lock_before_threads.c
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t settings = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) { return unused; }

static void read_settings(void) { pthread_mutex_unlock(&settings); }

int main(void) {
  pthread_t thread;
  read_settings();
  pthread_create(&thread, NULL, work, NULL);
  return pthread_join(thread, NULL);
}

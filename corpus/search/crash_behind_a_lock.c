// Two threads take a mutex in turn; whoever comes second finds that out, main() with it, the thread without. The thread
// crashes where it has the mutex: what could have come before its lock is then the whole section of the other.
// heddle: run --search=dpor --keep-going
// expect: bug assertion
// says: 2 bugs found
// twin: crash_behind_a_lock_ok.c
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sections, seen = -1;

static void* take_note(void* unused) {
  pthread_mutex_lock(&mutex);
  seen = sections;
  assert(seen == 0);  // main() came first
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, take_note, NULL);
  pthread_mutex_lock(&mutex);
  sections = 1;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  if (seen == 0) exit(7);  // the thread came first
  return 0;
}

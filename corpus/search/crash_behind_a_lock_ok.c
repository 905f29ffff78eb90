// Two threads take a mutex in turn; whoever comes second finds that out, and is none the worse for it.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 2
// twin: crash_behind_a_lock.c
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sections, seen = -1;

static void* take_note(void* unused) {
  pthread_mutex_lock(&mutex);
  seen = sections;
  sections = 2;
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
  return seen == 2;  // its own section is not before itself
}

// One thread locks a FILE and then a mutex, the other prints while it has the mutex: each waits for the other.
// heddle: run
// expect: bug deadlock at bound 1
// twin: file_lock_held.c
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;
static char text[64];

static void* printer(void* word) {
  pthread_mutex_lock(&lock);
  fputs(word, file);
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t thread;
  file = fmemopen(text, sizeof text, "w");
  pthread_create(&thread, NULL, printer, "c");
  flockfile(file);
  putc_unlocked('a', file);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  funlockfile(file);
  pthread_join(thread, NULL);
  return 0;
}

// The loader runs the callback under its lock, and the callback takes a mutex; the other thread takes both in the
// opposite order. Whoever waits for the loader's lock ends the execution: what is recorded there must not need it.
// heddle: run
// expect: bug deadlock at bound 1
// twin: loader_callback_first.c
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int nothing(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)info, (void)size, (void)unused;
  return 1;
}

static int with_mutex(struct dl_phdr_info* info, size_t size, void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return nothing(info, size, unused);
}

static void* loader_first(void* unused) {
  dl_iterate_phdr(with_mutex, NULL);
  return unused;
}

static void* mutex_first(void* unused) {
  pthread_mutex_lock(&mutex);
  dl_iterate_phdr(nothing, NULL);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, loader_first, NULL);
  pthread_create(&other, NULL, mutex_first, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  return 0;
}

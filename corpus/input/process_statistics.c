// What /proc says of the process: other figures in every run, and the program's steps depend on them. The determinism
// check finds it and names the file.
// heddle: run
// expect: no verdict
// runner: input_test.py
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned hash_of_schedstat(void) {
  char text[4096];
  FILE* file = fopen("/proc/self/schedstat", "r");
  assert(file != NULL);
  const size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  unsigned hash = 5381;
  for (size_t i = 0; i < size; ++i) hash = hash * 33 + (unsigned char)text[i];
  return hash;
}

static void* work(void* unused) {
  for (unsigned i = hash_of_schedstat() % 16; i > 0; --i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}

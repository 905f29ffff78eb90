// A file that another process changes all the time decides how many steps a thread takes. The determinism check finds
// that one schedule does not do the same twice, and names the file.
// heddle: run
// expect: no verdict
// runner: input_test.py
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char* path;

static void* work(void* unused) {
  char text[32] = {0};
  const int file = open(path, O_RDONLY);
  assert(file >= 0);
  assert(read(file, text, sizeof text - 1) >= 0);
  close(file);
  for (int i = atoi(text) % 8; i >= 0; --i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int count, char** arguments) {
  assert(count == 2);
  path = arguments[1];
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}

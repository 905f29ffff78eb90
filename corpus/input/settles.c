// What is made once, outside the program's memory (a cache file), makes the first run another than all others. The
// first schedule is run until two runs of it are alike (--prime), and the search begins there.
// heddle: run
// expect: clean complete
// runner: input_test.py
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char* path;

static void step(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

static void* work(void* unused) {
  if (access(path, F_OK) != 0) {
    step();
    const int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert(file >= 0);
    close(file);
  }
  step();
  return unused;
}

int main(int count, char** arguments) {
  assert(count == 2);
  path = arguments[1];
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  step();
  pthread_join(thread, NULL);
  return 0;
}

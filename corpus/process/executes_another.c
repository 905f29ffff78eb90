// The program becomes another one while a thread still runs: that ends the execution as its status says, in every
// schedule.
// heddle: run
// expect: clean complete
// twin: executes_what_fails.c
// isolation: fork
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  execl("/bin/sh", "sh", "-c", "exit 0", (char*)NULL);
  return 1;
}

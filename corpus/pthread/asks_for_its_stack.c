// Threads ask where their stacks lie, as language runtimes and garbage collectors do, also behind threads that have
// ended: libc asks for more on the way, by the kernel's numbers.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counted = 0;

static void* worker(void* unused) {
  pthread_attr_t attributes;
  void* low;
  size_t size;
  cpu_set_t of_thread, of_attributes;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstack(&attributes, &low, &size) == 0);
  assert((char*)&attributes >= (char*)low && (char*)&attributes < (char*)low + size);
  assert(pthread_attr_getaffinity_np(&attributes, sizeof of_attributes, &of_attributes) == 0);
  assert(pthread_getaffinity_np(pthread_self(), sizeof of_thread, &of_thread) == 0);
  assert(CPU_EQUAL(&of_thread, &of_attributes));
  pthread_attr_destroy(&attributes);
  pthread_mutex_lock(&mutex);
  ++counted;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  }
  assert(counted == 4);
}

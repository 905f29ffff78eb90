// What surrounds a program decides which steps it takes: environment, working directory, number of processors,
// addresses of blocks and of the stack, random numbers from states in memory, error values. All of it is the same each
// time.
// heddle: run
// expect: clean bound 1
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char folder[4096];

static uintptr_t mix(uintptr_t hash, uintptr_t value) { return (hash ^ value) * 0x9e3779b97f4a7c15; }

static uintptr_t mix_text(uintptr_t hash, const char* text) {
  for (; text != NULL && *text != '\0'; ++text) hash = mix(hash, (unsigned char)*text);
  return hash;
}

static void steps(uintptr_t hash) {
  for (uintptr_t i = 0; i < (hash >> 60) % 3; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

static void* look(void* unused) {
  int on_stack = 0;
  void* block = malloc(100);
  steps(mix(1, (uintptr_t)block));
  steps(mix(2, (uintptr_t)&on_stack));
  steps(mix(3, (uintptr_t)&mutex));
  steps(mix(4, (uintptr_t)(drand48() * 1000)));
  steps(mix_text(5, getenv("PATH")));
  steps(mix_text(6, getcwd(folder, sizeof folder)));
  steps(mix(7, (uintptr_t)get_nprocs()));
  steps(mix(8, (uintptr_t)sysconf(_SC_NPROCESSORS_ONLN)));
  struct stat status;
  steps(mix(9, stat("/nowhere/at/all", &status) == 0 ? 0 : (uintptr_t)errno));
  steps(mix(10, close(-1) == 0 ? 0 : (uintptr_t)errno));
  free(block);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, look, NULL);
  look(NULL);
  pthread_join(thread, NULL);
  return 0;
}

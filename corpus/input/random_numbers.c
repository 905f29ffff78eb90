// Every source of random numbers that C has: what is drawn decides which steps the program takes, and every execution
// draws the same. What two threads draw does not depend on who was first.
// heddle: run
// expect: clean bound 1
// says: Not checked: other random numbers
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void steps(uint32_t random) {
  for (uint32_t i = 0; i < random % 2; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
}

static void* draw(void* unused) {
  uint32_t value = 0;
  assert(getrandom(&value, sizeof value, 0) == (ssize_t)sizeof value);
  steps(value);
  assert(getentropy(&value, sizeof value) == 0);
  steps(value);
  steps(arc4random());
  steps(arc4random_uniform(1000));
  arc4random_buf(&value, sizeof value);
  steps(value);
  steps((uint32_t)rand());
  steps((uint32_t)random());
  steps((uint32_t)lrand48());
  return unused;
}

static void check_errors(void) {
  char room[300];
  assert(getrandom(room, sizeof room, 0x80) == -1 && errno == EINVAL);
  assert(getrandom(room, 10, GRND_RANDOM | 0x4) == -1 && errno == EINVAL);
  void* volatile nowhere = NULL;
  assert(getrandom(nowhere, 1, 0) == -1 && errno == EFAULT);
  assert(getrandom(room, 0, 0) == 0);
  assert(getentropy(room, sizeof room) == -1 && errno == EIO);
  assert(arc4random_uniform(1) == 0 && arc4random_uniform(0) == 0);
  for (int i = 0; i < 100; ++i) assert(arc4random_uniform(7) < 7);
}

int main(void) {
  check_errors();
  uint64_t seed = 0;
  assert(syscall(SYS_getrandom, &seed, sizeof seed, 0) == (long)sizeof seed);
  srand((unsigned)seed);
  srandom((unsigned)seed);
  srand48((long)seed);
  pthread_t thread;
  pthread_create(&thread, NULL, draw, NULL);
  draw(NULL);
  pthread_join(thread, NULL);
  return 0;
}

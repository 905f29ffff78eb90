// A thread with a large stack of which it uses much, and one whose stack is the program's own memory.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "snapshot/two_threads.h"

enum { LARGE = 64 << 20, USED = 24 << 20, OWN = 256 << 10 };
static char* own;

static void* use_much(void* unused) {
  volatile char block[USED];
  block[0] = block[USED - 1] = 'b';
  point();
  assert(block[0] == 'b' && block[USED - 1] == 'b');
  return unused;
}

static void* use_own(void* unused) {
  volatile char here = 'h';
  assert((char*)&here >= own && (char*)&here < own + OWN);
  assert(own[0] == 0);
  own[0] = 'x';
  point();
  assert(here == 'h' && own[0] == 'x');
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_attr_t large, mine;
  pthread_attr_init(&large);
  assert(pthread_attr_setstacksize(&large, LARGE) == 0);
  own = mmap(NULL, OWN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(own != MAP_FAILED);
  pthread_attr_init(&mine);
  assert(pthread_attr_setstack(&mine, own, OWN) == 0);
  assert(pthread_create(&threads[0], &large, use_much, NULL) == 0);
  assert(pthread_create(&threads[1], &mine, use_own, NULL) == 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

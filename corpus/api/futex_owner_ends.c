// Who holds a lock of the kernel's (FUTEX_LOCK_PI) ends with it: the one that waits gets it, and the word says so. The
// kernel knows the owner by its number, of which the first thread's is the process's.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t of_thread, of_main;

static int lock(uint32_t* word) { return (int)syscall(SYS_futex, word, FUTEX_LOCK_PI, 0, NULL, NULL, 0); }

// False: the owner had ended before, and nobody has that number.
static int lock_behind_the_dead(uint32_t* word) {
  if (lock(word) != 0) return assert(errno == ESRCH), 0;
  assert((*word & FUTEX_TID_MASK) == (uint32_t)gettid());
  return 1;
}

static void* ends_with_it(void* unused) {
  assert(lock(&of_thread) == 0);
  return unused;
}

static void* waits_for_main(void* unused) {
  if (lock_behind_the_dead(&of_main)) assert((of_main & FUTEX_OWNER_DIED) != 0);
  return unused;
}

int main(void) {
  pthread_t thread, other;
  pthread_create(&thread, NULL, ends_with_it, NULL);
  if (lock_behind_the_dead(&of_thread) && (of_thread & FUTEX_OWNER_DIED) == 0)
    assert(syscall(SYS_futex, &of_thread, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
  pthread_join(thread, NULL);
  assert(lock(&of_main) == 0);
  pthread_create(&other, NULL, waits_for_main, NULL);
  pthread_exit(NULL);
}

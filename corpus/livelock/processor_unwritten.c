// Where a thread has registered restartable sequences, the kernel writes into its memory on which processor it runs:
// the memory of a program that goes round would not be the same again when it moves. While threads run it is not
// registered.
// heddle: run
// expect: clean complete
#define _GNU_SOURCE
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
#include <sys/rseq.h>

static void* end_at_once(void* unused) { return unused; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, end_at_once, NULL);
  pthread_join(thread, NULL);
  const char* const self = __builtin_thread_pointer();
  const volatile struct rseq* const sequences = (const struct rseq*)(self + __rseq_offset);
  assert(!heddle_active() || __rseq_size == 0 || (int)sequences->cpu_id < 0);
  return 0;
}

// A consumer in C11 threads looks at the flag, then locks and waits: a signal in between is lost.
// heddle: run
// expect: bug deadlock at bound 1
// says: main waits for
// twin: c11_lost_wakeup_fixed.c
#include <threads.h>

static mtx_t mutex;
static cnd_t filled;
static int is_filled;

static int produce(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  is_filled = 1;
  cnd_signal(&filled);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&filled);
  thrd_t producer;
  thrd_create(&producer, produce, NULL);
  mtx_lock(&mutex);
  const int must_wait = !is_filled;
  mtx_unlock(&mutex);
  mtx_lock(&mutex);
  if (must_wait) cnd_wait(&filled, &mutex);
  mtx_unlock(&mutex);
  return thrd_join(producer, NULL) == thrd_success ? 0 : 1;
}

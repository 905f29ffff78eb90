// The flag is looked at and the wait begins under one lock: no signal is lost.
// heddle: run
// expect: clean complete
// twin: c11_lost_wakeup.c
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
  while (!is_filled) cnd_wait(&filled, &mutex);
  mtx_unlock(&mutex);
  return thrd_join(producer, NULL) == thrd_success ? 0 : 1;
}

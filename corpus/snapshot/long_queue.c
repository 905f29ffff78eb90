// Producers and consumers of a small queue, for a while: wherever one has to wait, several others could go on. It runs
// long enough for checkpoints to pay.
// heddle: run --max-preemptions=0 --max-schedules=2000
// expect: no bug
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { ITEMS = 40, ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int queued, put, taken;

static void work(int item) {
  for (volatile int i = 0; i < 200 + item; ++i) continue;
}

static void* producer(void* unused) {
  for (int i = 0; i < ITEMS; ++i) {
    work(i);
    pthread_mutex_lock(&lock);
    while (queued == ROOM) pthread_cond_wait(&changed, &lock);
    ++queued;
    ++put;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

static void* consumer(void* unused) {
  for (int i = 0; i < ITEMS; ++i) {
    pthread_mutex_lock(&lock);
    while (queued == 0) pthread_cond_wait(&changed, &lock);
    --queued;
    ++taken;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    work(i);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, i % 2 == 0 ? producer : consumer, NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  assert(put == 2 * ITEMS && taken == 2 * ITEMS && queued == 0);
  return 0;
}

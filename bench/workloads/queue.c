// Two producers and two consumers of a small queue, each with so many items and so much work for each: queue ITEMS
// WORK. Wherever one has to wait several others could go on.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int queue[ROOM], first, queued, items, amount;

static unsigned work(unsigned seed) {
  for (int i = 0; i < amount; ++i) seed = seed * 1664525u + 1013904223u;
  return seed;
}

static void put(int item) {
  pthread_mutex_lock(&lock);
  while (queued == ROOM) pthread_cond_wait(&not_full, &lock);
  queue[(first + queued++) % ROOM] = item;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  pthread_mutex_lock(&lock);
  while (queued == 0) pthread_cond_wait(&not_empty, &lock);
  const int item = queue[first];
  first = (first + 1) % ROOM;
  --queued;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return item;
}

static void* produce(void* unused) {
  for (int i = 0; i < items; ++i) put((int)(work((unsigned)i) & 7));
  return unused;
}

static void* consume(void* sum) {
  for (int i = 0; i < items; ++i) *(unsigned*)sum += work((unsigned)take());
  return NULL;
}

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  items = atoi(arguments[1]);
  amount = atoi(arguments[2]);
  pthread_t threads[4];
  unsigned sums[2] = {0, 0};
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, produce, NULL);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[2 + i], NULL, consume, &sums[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  assert(queued == 0);
  return 0;
}

// A sequence lock: a writer copies a structure to where readers copy it from, and a number tells these whether it is
// whole. BEGIN(): what the writer does before it copies.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

typedef struct {
  long first, second, third;
} Triple;

static Triple shared, next = {1, 1, 1};
static unsigned number;

static void* write_all(void* unused) {
  BEGIN();
  memcpy(&shared, &next, sizeof shared);
  __atomic_store_n(&number, 2, __ATOMIC_SEQ_CST);
  return unused;
}

static void* read_all(void* unused) {
  Triple seen;
  const unsigned before = __atomic_load_n(&number, __ATOMIC_SEQ_CST);
  memcpy(&seen, &shared, sizeof seen);
  const unsigned after = __atomic_load_n(&number, __ATOMIC_SEQ_CST);
  if (before % 2 == 0 && before == after) assert(seen.first == seen.third);
  return unused;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_all, NULL);
  pthread_create(&reader, NULL, read_all, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  return 0;
}

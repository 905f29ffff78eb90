// A program with an allocator of its own: a static array of which it gives out the next part, and a list of what was
// given back.
// heddle: run --max-preemptions=2
// expect: clean bound 2
#include <assert.h>
#include <string.h>

#include "snapshot/two_threads.h"

struct Block {
  struct Block* next;
  char text[120];
};
static _Alignas(64) char arena[1 << 20];
static size_t used;
static struct Block* given_back;
static int first_seen;

static struct Block* allocate(void) {
  pthread_mutex_lock(&point_mutex);
  struct Block* result = given_back;
  if (result != NULL) {
    given_back = result->next;
  } else {
    result = (struct Block*)(arena + used);
    used += sizeof *result;
    assert(used <= sizeof arena);
  }
  if (!first_seen) {
    first_seen = 1;
    assert(result == (struct Block*)arena && result->text[0] == 0);
  }
  pthread_mutex_unlock(&point_mutex);
  return result;
}

static void give_back(struct Block* block) {
  pthread_mutex_lock(&point_mutex);
  block->next = given_back;
  given_back = block;
  pthread_mutex_unlock(&point_mutex);
}

static void* work(void* unused) {
  struct Block* block = allocate();
  strcpy(block->text, "used");
  give_back(block);
  return unused;
}

int main(void) {
  run_two(work, work);
  assert(used == sizeof(struct Block) || used == 2 * sizeof(struct Block));
  return 0;
}

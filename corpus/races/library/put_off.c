// See put_off.h. Who takes `waiting` destroys it; who has read the list entered before it was taken away.
#include "races/library/put_off.h"

static int inside;
static void* waiting;
static void (*destroy_waiting)(void*);

static void destroy_if_nobody_is_inside(void) {
  if (__atomic_load_n(&inside, __ATOMIC_SEQ_CST) != 0) return;
  void* const memory = __atomic_exchange_n(&waiting, (void*)0, __ATOMIC_SEQ_CST);
  if (memory) destroy_waiting(memory);
}

void put_off_enter(void) { __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST); }

void put_off_leave(void) {
  __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  destroy_if_nobody_is_inside();
}

void put_off(void* memory, void (*destroy)(void*)) {
  destroy_waiting = destroy;
  __atomic_store_n(&waiting, memory, __ATOMIC_SEQ_CST);
  destroy_if_nobody_is_inside();
}

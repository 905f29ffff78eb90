// Two threads take turns by spinning on one number; each yields while it is not its turn.
// heddle: run
// expect: clean bound 1
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int turn;

static void* play(void* argument) {
  const int self = *(const int*)argument;
  for (int round = 0; round < 2; ++round) {
    while (turn != self) sched_yield();
    turn = 1 - self;
  }
  return NULL;
}

int main(void) {
  static const int players[] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, play, (void*)&players[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

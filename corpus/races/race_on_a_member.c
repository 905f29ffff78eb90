// Two threads add to a member of a structure that lies on main's stack, which is not its first: what clang takes for
// known to nobody else.
// heddle: run --races=report
// expect: bug assertion
// says: data race
// twin: races/race_on_stack_joined.cpp
// build: heddle-cc clang
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct Pair {
  int first, second;
};

static void* work(void* pair_) {
  struct Pair* const pair = pair_;
  pair->second = pair->second + 1;
  return NULL;
}

int main(void) {
  struct Pair pair = {0, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, work, &pair);
  const int before = pair.second;
  pair.second = before + 1;
  pthread_join(thread, NULL);
  assert(pair.second == 2);
  return 0;
}

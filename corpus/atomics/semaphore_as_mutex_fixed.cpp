// With a semaphore of the C library, which counts who waits.
// heddle: run
// expect: clean bound 3
// twin: semaphore_as_mutex
// build: heddle-cc
#include <semaphore.h>

#include <thread>

static sem_t free_now;
static int inside = 0;

static void work() {
  for (int round = 0; round < 2; ++round) {
    sem_wait(&free_now);
    ++inside;
    sem_post(&free_now);
  }
}

int main() {
  sem_init(&free_now, 0, 1);
  std::thread first(work), second(work);
  first.join();
  second.join();
  return inside != 4;
}

// libstdc++ 12's std::counting_semaphore, untouched, as a mutex (its PR 104928). A thread that read 1, lost the race
// for it, and then waits in the kernel for a value that nobody will change again, is never woken.
// heddle: run
// expect: bug deadlock at bound 3
// says: std::counting_semaphore
// twin: semaphore_as_mutex_fixed
// build: heddle-cc
#include <semaphore>
#include <thread>

static std::binary_semaphore free_now(1);
static int inside = 0;

static void work() {
  for (int round = 0; round < 2; ++round) {
    free_now.acquire();
    ++inside;
    free_now.release();
  }
}

int main() {
  std::thread first(work), second(work);
  first.join();
  second.join();
  return inside != 4;
}

// A bug that needs a certain order of threads and a certain random number: it is found or not by the input seed, and
// what was found is found again by `heddle replay`.
// heddle: run
// expect: bug exit
// runner: input_test.py
#include <cstdio>
#include <mutex>
#include <random>
#include <thread>

static std::mutex lock;
static int last = 0;

int main() {
  std::random_device device;
  const unsigned number = device() % 4;
  std::thread thread([] {
    std::lock_guard guard(lock);
    last = 1;
  });
  {
    std::lock_guard guard(lock);
    last = 2;
  }
  thread.join();
  std::printf("number %u, last %d\n", number, last);
  return number == 3 && last == 1 ? 1 : 0;
}

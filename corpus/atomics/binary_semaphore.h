// Two threads and a std::binary_semaphore that they use as a mutex.
#include <semaphore>
#include <thread>

static std::binary_semaphore gate(1);
static int entered = 0;

static void enter() {
  gate.acquire();
  ++entered;
  gate.release();
}

int main() {
  std::thread other(enter);
  enter();
  other.join();
}

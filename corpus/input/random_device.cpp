// std::random_device in all its forms, and engines seeded by it: every execution draws the same.
// heddle: run
// expect: clean bound 1
#include <cassert>
#include <mutex>
#include <random>
#include <thread>

static std::mutex lock;

static void steps(unsigned random) {
  for (unsigned i = 0; i < random % 2; ++i) std::lock_guard guard(lock);
}

static void draw() {
  std::random_device device;
  std::mt19937 engine(device());
  for (int i = 0; i < 3; ++i) steps(engine());
  std::random_device from_system("/dev/urandom");
  steps(from_system());
}

int main() {
  std::thread thread(draw);
  draw();
  thread.join();
}

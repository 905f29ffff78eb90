// std::recursive_mutex, timed_mutex, scoped_lock over several: no deadlock, whatever the order they are named in.
// heddle: run
// expect: clean bound 2
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

int main() {
  std::recursive_mutex recursive;
  std::timed_mutex timed;
  std::mutex plain;
  int count = 0;
  std::thread forward([&] {
    std::scoped_lock both(recursive, plain);
    std::lock_guard again(recursive);
    ++count;
  });
  std::thread backward([&] {
    std::scoped_lock both(plain, recursive);
    ++count;
  });
  if (timed.try_lock_for(1ms)) timed.unlock();
  forward.join();
  backward.join();
  assert(count == 2);
}

// A thread is created and its handle is stored afterwards. The new thread may read the handle before.
// Shape of Mozilla's nsThread, whose Main uses mThread. An order violation.
// build: heddle-c++
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

struct Thread {
  std::mutex lock;
  std::condition_variable changed;
  const std::thread* handle = nullptr;
  int state = 0;
};

static Thread object;

static void thread_main() {
#ifdef FIXED
  std::unique_lock start(object.lock);
  object.changed.wait(start, [] { return object.handle != nullptr; });
  start.unlock();
#endif
  assert(object.handle != nullptr);
  const std::lock_guard guard(object.lock);
  object.state = 1;
}

static void init(std::thread& thread) {
  thread = std::thread(thread_main);
#ifdef FIXED
  const std::lock_guard guard(object.lock);
  object.changed.notify_one();
#endif
  object.handle = &thread;
}

int main() {
  std::thread thread;
  init(thread);
  thread.join();
  assert(object.state == 1);
}

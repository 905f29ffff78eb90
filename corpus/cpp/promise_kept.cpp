// A promise is kept, whoever comes first.
// heddle: run
// expect: clean bound 2
// twin: broken_promise.cpp
#include <cassert>
#include <future>
#include <mutex>
#include <thread>

// Hands out one promise; whoever takes it must keep it.
class Desk {
 public:
  explicit Desk(std::promise<int> promise) : promise_(std::move(promise)) {}
  void answer(int value) {
    std::lock_guard guard(mutex_);
    if (closed_) return;
    promise_.set_value(value);
    closed_ = true;
  }
  void close() {
    std::lock_guard guard(mutex_);
    if (closed_) return;
    promise_.set_value(0);
    closed_ = true;
  }

 private:
  std::mutex mutex_;
  std::promise<int> promise_;
  bool closed_ = false;
};

int main() {
  std::promise<int> promise;
  std::future<int> answer = promise.get_future();
  Desk desk(std::move(promise));
  std::thread clerk([&] { desk.answer(42); });
  std::thread closing([&] { desk.close(); });
  const int value = answer.get();
  assert(value == 42 || value == 0);
  clerk.join();
  closing.join();
}

// A promise is dropped unkept when closing time comes before the answer: get() throws future_error.
// heddle: run
// expect: bug exception at bound 0
// says: std::future_error
// twin: promise_kept.cpp
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
    promise_ = std::promise<int>();
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

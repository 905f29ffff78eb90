// The two-phase commit of CCR ports (CHESS, OSDI 2008, section 2). A receiver registers on a port with two tasks, then
// takes them. A cancellation takes them one by one and forgets to mark the port while it does so: a receiver that
// registered before it and goes on in the middle of it processes tasks that are being cancelled, throws, and never
// answers.
// heddle: run
// expect: bug deadlock at bound 2
// twin: ccr_cancel_fixed.cpp
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

class Port {
 public:
  // Phase one: claim both tasks.
  bool register_receiver() {
    std::lock_guard guard(mutex_);
    if (cancelled_ > 0) return false;
    registered_ = true;
    return true;
  }
  // Phase two: process what was claimed.
  void receive() {
    std::lock_guard guard(mutex_);
    if (closed_) return;
    if (cancelled_ > 0) throw std::logic_error("a cancelled task was received");
  }
  void cancel_all() {
    for (int task = 0; task < 2; ++task) cancel_one();
    std::unique_lock guard(mutex_);
    closed_ = true;
    answered_.wait(guard, [&] { return !registered_ || done_; });
  }
  void answer() {
    std::lock_guard guard(mutex_);
    done_ = true;
    answered_.notify_all();
  }

 private:
  void cancel_one() {
    std::lock_guard guard(mutex_);
    ++cancelled_;  // the bug: the port is closed only after the last one
  }

  std::mutex mutex_;
  std::condition_variable answered_;
  int cancelled_ = 0;
  bool registered_ = false;
  bool closed_ = false;
  bool done_ = false;
};

int main() {
  Port port;
  std::thread receiver([&] {
    if (!port.register_receiver()) return;
    try {
      port.receive();
      port.answer();
    } catch (const std::logic_error&) {
      // the worker gives up on this port; whoever waits for its answer waits for ever
    }
  });
  std::thread canceller([&] { port.cancel_all(); });
  receiver.join();
  canceller.join();
}

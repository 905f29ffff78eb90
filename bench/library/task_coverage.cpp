// Tasks of all kinds: a receiver of one message, a receiver of two, concurrent tasks and an exclusive one. An exclusive
// task begins when no concurrent one runs; no concurrent one begins while an exclusive one waits.
// Bug 1: a concurrent task that ends looks for waiting exclusive ones before it says that it has ended. One that comes
// in between is started by nobody (livelock of main).
// Shape of GAMBIT's test TaskCoverage of the Concurrency and Coordination Runtime.
// build: plain
#include <cassert>

#include "ports.h"

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Interleave {
 public:
  explicit Interleave(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  void concurrent(Dispatcher::Task task) { add(concurrent_, std::move(task)); }
  void exclusive(Dispatcher::Task task) { add(exclusive_, std::move(task)); }

 private:
  using Tasks = std::deque<Dispatcher::Task>;

  void add(Tasks& tasks, Dispatcher::Task task) {
    {
      const std::lock_guard guard(lock_);
      tasks.push_back(std::move(task));
    }
    start();
  }

  void start() {
    const std::lock_guard guard(lock_);
    if (alone_) return;
    if (!exclusive_.empty()) {
      if (running_ != 0) return;
      alone_ = true;
      launch(exclusive_);
      return;
    }
    while (!concurrent_.empty()) launch(concurrent_);
  }

  void launch(Tasks& tasks) {
    ++running_;
    dispatcher_.run([this, task = std::move(tasks.front())] {
      task();
      end();
    });
    tasks.pop_front();
  }

  void end() {
    std::unique_lock guard(lock_);
#if BUG == 1
    const bool more = alone_ || !exclusive_.empty();
    guard.unlock();
    guard.lock();
#else
    const bool more = true;
#endif
    --running_;
    alone_ = false;
    guard.unlock();
    if (more) start();
  }

  Dispatcher& dispatcher_;
  std::mutex lock_;
  Tasks concurrent_, exclusive_;
  int running_ = 0;
  bool alone_ = false;
};

int main() {
  Dispatcher dispatcher(2);
  Port port(dispatcher);
  Interleave interleave(dispatcher);
  Signal single, pair, exclusive, concurrent[2];
  port.receive(1, [&](const Port::Messages&) { single.set(); });
  port.receive(2, [&](const Port::Messages&) { pair.set(); });
  interleave.concurrent([&] { port.post(1); });
  interleave.concurrent([&] { concurrent[0].set(); });
  port.post(2);
  port.post(3);
  interleave.exclusive([&] { exclusive.set(); });
  interleave.concurrent([&] { concurrent[1].set(); });
  single.wait();
  pair.wait();
  exclusive.wait();
  for (Signal& signal : concurrent) signal.wait();
}

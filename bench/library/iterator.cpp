// Two iterators send each other messages. An iterator is a task in steps: a step ends when it waits for a message of a
// port, and the message begins the next step. A message that comes while the iterator does not wait is dropped.
// Bug 1: the iterator says that it waits only when its receiver is at the port already. A message that is taken in
// between is dropped, and the iterator never goes on (livelock of main).
// Shape of GAMBIT's test Iterator of the Concurrency and Coordination Runtime.
// build: plain
#include "ports.h"

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Iterator {
 public:
  Iterator(Dispatcher& dispatcher, Port& in, Port& out, int steps)
      : dispatcher_(dispatcher), in_(in), out_(out), left_(steps) {}

  void start() {
    dispatcher_.run([this] { step(); });
  }

  void wait() { finished_.wait(); }

 private:
  void step() {
    out_.post(left_);
    if (--left_ < 0) {
      finished_.set();
      return;
    }
#if BUG != 1
    set_waiting();
#endif
    in_.receive(1, [this](const Port::Messages&) { resume(); });
#if BUG == 1
    set_waiting();
#endif
  }

  void resume() {
    {
      const std::lock_guard guard(lock_);
      if (!waiting_) return;
      waiting_ = false;
    }
    step();
  }

  void set_waiting() {
    const std::lock_guard guard(lock_);
    waiting_ = true;
  }

  Dispatcher& dispatcher_;
  Port& in_;
  Port& out_;
  int left_;
  std::mutex lock_;
  bool waiting_ = false;
  Signal finished_;
};

int main() {
  Dispatcher dispatcher(2);
  Port ping(dispatcher), pong(dispatcher);
  Iterator first(dispatcher, ping, pong, 3), second(dispatcher, pong, ping, 3);
  first.start();
  second.start();
  first.wait();
  second.wait();
}

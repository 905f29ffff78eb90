// A causality follows the messages that one request leads to, and reports when the last of them is dealt with.
// Bug 1: the number of open messages is read in one critical section and written in another one. A change by another
// worker is lost, and the causality never ends (livelock of main).
// Shape of GAMBIT's test Causality of the Concurrency and Coordination Runtime.
// build: plain
#include "ports.h"

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Causality {
 public:
  void enter() { add(1); }

  void leave() {
    if (add(-1) == 0) ended_.set();
  }

  void wait() { ended_.wait(); }

 private:
  int add(int change) {
    std::unique_lock guard(lock_);
    const int now = open_ + change;
#if BUG == 1
    guard.unlock();
    guard.lock();
#endif
    open_ = now;
    return now;
  }

  std::mutex lock_;
  int open_ = 0;
  Signal ended_;
};

// A message stands for as many further ones as its number says.
static void handle(Port& port, Causality& causality, int message) {
  for (int i = 0; i < message; ++i) {
    causality.enter();
    port.receive(1, [&](const Port::Messages& next) { handle(port, causality, next[0]); });
    port.post(message - 1);
  }
  causality.leave();
}

int main() {
  Dispatcher dispatcher(2);
  Port port(dispatcher);
  Causality causality;
  causality.enter();
  port.receive(1, [&](const Port::Messages& first) { handle(port, causality, first[0]); });
  port.post(2);
  causality.wait();
}

// Requests go to several services, and their answers are gathered: results on one port, failures on another. When there
// are as many answers as requests, the gathering is complete.
// Bug 1: who counts an answer looks first how many there are of the other kind, and then counts its own. Two that do so
// at once both find one too few, and the gathering never ends (livelock of main).
// Shape of GAMBIT's test ScatterGather of the Concurrency and Coordination Runtime.
// build: plain
#include "ports.h"

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Counter {
 public:
  int add(int change) {
    const std::lock_guard guard(lock_);
    count_ += change;
    return count_;
  }

  int get() { return add(0); }

 private:
  std::mutex lock_;
  int count_ = 0;
};

class Gathering {
 public:
  Gathering(Dispatcher& dispatcher, int requests) : results_port(dispatcher), failures_port(dispatcher) {
    wanted_ = requests;
  }

  void succeeded() { answered(results_, failures_); }
  void failed() { answered(failures_, results_); }
  void wait() { complete_.wait(); }

  Port results_port, failures_port;

 private:
  void answered(Counter& mine, Counter& others) {
#if BUG == 1
    const int other = others.get();
    const int own = mine.add(1);
#else
    const int own = mine.add(1);
    const int other = others.get();
#endif
    if (own + other == wanted_) complete_.set();
  }

  int wanted_;
  Counter results_, failures_;
  Signal complete_;
};

// Every third request fails.
static void serve(Gathering& gathering, int request) {
  if (request % 3 == 2) {
    gathering.failures_port.receive(1, [&](const Port::Messages&) { gathering.failed(); });
    gathering.failures_port.post(request);
  } else {
    gathering.results_port.receive(1, [&](const Port::Messages&) { gathering.succeeded(); });
    gathering.results_port.post(request);
  }
}

int main() {
  const int requests = 4;
  Dispatcher dispatcher(2);
  Port services(dispatcher);
  Gathering gathering(dispatcher, requests);
  for (int i = 0; i < requests; ++i) {
    services.receive(1, [&](const Port::Messages& request) { serve(gathering, request[0]); });
    services.post(i);
  }
  gathering.wait();
}

// A barrier in one atomic word: how many have arrived, and the number of the phase, whose lowest bit is the sense.
// Who waits goes round until the phase is another one. The last one runs an action before the next phase begins.
// Bug 1: who has arrived looks at the word again to see whether all have. Two threads then both take themselves for the
// last one, and the action runs twice (assertion).
// Shape of GAMBIT's tests of a barrier of the .NET 4 library.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <thread>

#ifdef FIXED
#undef BUG
#endif
#ifndef BUG
#define BUG 0
#endif

class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  void arrive_and_wait() {
    const int before = word_.fetch_add(1);
#if BUG == 1
    const int arrived = word_ % next_phase;
#else
    const int arrived = before % next_phase + 1;
#endif
    if (arrived == threads_) {
      ++actions_;
      word_.fetch_add(next_phase - threads_);
    } else {
      while (word_ / next_phase == before / next_phase) std::this_thread::yield();
    }
  }

  int phase() const { return word_ / next_phase; }
  int actions() const { return actions_; }

 private:
  static const int next_phase = 1 << 8;

  int threads_;
  std::atomic<int> word_{0};
  std::atomic<int> actions_{0};
};

int main() {
  const int phases = 6;
  Barrier barrier(2);
  const auto work = [&] {
    for (int phase = 1; phase <= phases; ++phase) {
      barrier.arrive_and_wait();
      assert(barrier.phase() == phase || barrier.phase() == phase + 1);
      assert(barrier.actions() == phase || barrier.actions() == phase + 1);
    }
  };
  std::thread threads[] = {std::thread(work), std::thread(work)};
  for (std::thread& thread : threads) thread.join();
  assert(barrier.phase() == phases && barrier.actions() == phases);
}

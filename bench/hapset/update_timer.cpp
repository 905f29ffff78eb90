// A thread looks whether there is a timer and changes its delay, while another one cancels the timer between the two.
// Shape of updates of a timer in Mozilla. An atomicity violation of two reads.
// build: heddle-c++
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Timer {
  int delay;
};

static std::mutex lock;
static Timer the_timer = {10};
static std::atomic<Timer*> timer{&the_timer};
static int progress;

static void advance() {
  const std::lock_guard guard(lock);
  ++progress;
}

static void update_timer() {
  advance();
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  if (timer == nullptr) return;
  Timer* const found = timer;
  assert(found != nullptr);
  found->delay += 5;
}

static void cancel_timer() {
  advance();
#ifdef FIXED
  const std::lock_guard guard(lock);
#endif
  timer = nullptr;
}

int main() {
  std::thread threads[] = {std::thread(update_timer), std::thread(cancel_timer)};
  for (std::thread& thread : threads) thread.join();
  assert(progress == 2 && (the_timer.delay == 10 || the_timer.delay == 15));
}

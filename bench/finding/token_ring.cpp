// Three threads pass a value on, each under the lock, but nothing makes them do so in the order of the ring.
// Shape of SCTBench's token_ring: a fourth thread compares the values when all three are done.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable moved;
static int values[] = {1, 2, 1};
static bool done[3];

static void pass_on(int place) {
  std::unique_lock guard(lock);
#ifdef FIXED
  moved.wait(guard, [place] { return place == 0 || done[place - 1]; });
#endif
  values[place] = place == 0 ? (values[2] + 1) % 4 : values[place - 1];
  done[place] = true;
  moved.notify_all();
}

static void compare() {
  const std::lock_guard guard(lock);
  if (done[0] && done[1] && done[2]) assert(values[0] == values[1] && values[1] == values[2]);
}

int main() {
  std::thread threads[] = {std::thread(pass_on, 0), std::thread(pass_on, 1), std::thread(pass_on, 2),
                           std::thread(compare)};
  for (std::thread& thread : threads) thread.join();
}

// A request looks whether the driver stops, and counts itself as pending afterwards: the driver may have stopped
// between. Shape of SCTBench's bluetooth_driver, after the model of Qadeer and Wu.
// build: heddle-c++
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> pending{1};
static std::atomic<bool> stopping{false}, stopped{false};
static sem_t none_pending;

static void leave() {
  if (pending.fetch_sub(1) == 1) sem_post(&none_pending);
}

static bool enter() {
#ifdef FIXED
  pending.fetch_add(1);
  if (!stopping) return true;
  leave();
  return false;
#else
  if (stopping) return false;
  pending.fetch_add(1);
  return true;
#endif
}

static void request() {
  if (!enter()) return;
  assert(!stopped);
  leave();
}

static void stop() {
  stopping = true;
  leave();
  sem_wait(&none_pending);
  stopped = true;
}

int main() {
  sem_init(&none_pending, 0, 0);
  std::thread threads[] = {std::thread(request), std::thread(stop)};
  for (std::thread& thread : threads) thread.join();
}

// A worker is counted as idle before its state says so. If the last one then ends all workers, this one overwrites that
// with "idle" and sleeps for ever. Shape of Inspect's qsort_mt: halves of an array go to idle workers of a pool.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

enum class State { Idle, Sorting, Ended };

struct Worker {
  std::mutex lock;
  std::condition_variable woken;
  State state = State::Idle;
  int *begin = nullptr, *end = nullptr;

  void wake(State next) {
    const std::lock_guard guard(lock);
    state = next;
    woken.notify_one();
  }
};

static const int workers = 4;
static int numbers[] = {13, 9, 11, 18, 2, 17, 5, 6, 4, 0, 3, 19, 1, 8, 12, 7, 15, 16, 14, 10};
static Worker pool[workers];
static std::mutex pool_lock;
static int idle = workers;

static bool hand_over(int* begin, int* end) {
  const std::lock_guard guard(pool_lock);
  for (Worker& worker : pool) {
    const std::lock_guard worker_guard(worker.lock);
    if (worker.state != State::Idle) continue;
    --idle;
    worker.state = State::Sorting, worker.begin = begin, worker.end = end;
    worker.woken.notify_one();
    return true;
  }
  return false;
}

static void sort(int* begin, int* end) {
  if (end - begin < 2) return;
  int* middle = begin;
  for (int* at = begin + 1; at < end; ++at)
    if (*at < *begin) std::swap(*++middle, *at);
  std::swap(*begin, *middle);
  if (end - middle < 4 || !hand_over(middle + 1, end)) sort(middle + 1, end);
  sort(begin, middle);
}

static void run(Worker& self) {
  for (;;) {
    std::unique_lock guard(self.lock);
    self.woken.wait(guard, [&self] { return self.state != State::Idle; });
    if (self.state == State::Ended) return;
    guard.unlock();
    sort(self.begin, self.end);
    pool_lock.lock();
#ifdef FIXED
    self.wake(State::Idle);
#endif
    const bool last = ++idle == workers;
    pool_lock.unlock();
#ifndef FIXED
    self.wake(State::Idle);
#endif
    for (Worker& worker : pool)
      if (last) worker.wake(State::Ended);
  }
}

int main() {
  hand_over(std::begin(numbers), std::end(numbers));
  std::thread threads[workers];
  for (int i = 0; i < workers; ++i) threads[i] = std::thread(run, std::ref(pool[i]));
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 20; ++i) assert(numbers[i] == i);
}

// Main counts the workers that are active only after it has closed the queue of files: a worker that ends before that
// is never counted down, and main waits for it forever. Shape of pfscan with its counter `aworkers` set too late.
// build: plain
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static const unsigned capacity = 2;
static const int workers = 2;
static std::mutex queue_lock, matches_lock, workers_lock;
static std::condition_variable not_full, not_empty, worker_ended;
static std::vector<std::string> queue;
static bool closed;
static int matches, active_workers;

static void put(const std::string& file) {
  std::unique_lock guard(queue_lock);
  not_full.wait(guard, [] { return queue.size() < capacity; });
  queue.push_back(file);
  not_empty.notify_one();
}

static void close_queue() {
  const std::lock_guard guard(queue_lock);
  closed = true;
  not_empty.notify_all();
}

static bool get(std::string& file) {
  std::unique_lock guard(queue_lock);
  not_empty.wait(guard, [] { return !queue.empty() || closed; });
  if (queue.empty()) return false;
  file = queue.back();
  queue.pop_back();
  not_full.notify_one();
  return true;
}

static void scan_files() {
  for (std::string file; get(file);) {
    const bool match = file.find("needle") != std::string::npos;
    const std::lock_guard guard(matches_lock);
    if (match) ++matches;
  }
  const std::lock_guard guard(workers_lock);
  --active_workers;
  worker_ended.notify_one();
}

static void count_workers() {
  const std::lock_guard guard(workers_lock);
  active_workers = workers;
}

int main() {
#ifdef FIXED
  count_workers();
#endif
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i) threads.emplace_back(scan_files);
  for (const char* file : {"hay", "hay needle", "needle", "hay hay"}) put(file);
  close_queue();
#ifndef FIXED
  count_workers();
#endif
  {
    std::unique_lock guard(workers_lock);
    worker_ended.wait(guard, [] { return active_workers == 0; });
  }
  for (std::thread& thread : threads) thread.join();
  assert(matches == 2);
}

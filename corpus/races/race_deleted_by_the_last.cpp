// As race_deleted.cpp, but each has a share of it.
// heddle: run
// expect: clean complete
// twin: races/race_deleted.cpp
// build: heddle-cc clang
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Job {
  int calls = 0;
  void call() { ++calls; }
};

static std::mutex mutex;
static std::shared_ptr<Job> posted;

static void post(std::shared_ptr<Job> job) {
  std::lock_guard guard(mutex);
  posted.swap(job);
}

int main() {
  auto job = std::make_shared<Job>();
  std::thread worker([] {
    std::unique_lock guard(mutex);
    const std::shared_ptr<Job> mine = posted;
    guard.unlock();
    if (mine) mine->call();
  });
  post(job);
  post(nullptr);
  job.reset();
  worker.join();
}

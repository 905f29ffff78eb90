// A job is deleted by the one that made it while a worker calls it.
// heddle: run
// expect: bug data race at bound 1
// says: frees a block of
// twin: races/race_deleted_by_the_last.cpp
// build: heddle-cc clang
#include <atomic>
#include <cassert>
#include <thread>

struct Job {
  int calls = 0;
  void call() { ++calls; }
};

static std::atomic<Job*> posted{nullptr};

int main() {
  auto* job = new Job;
  std::thread worker([] {
    if (Job* mine = posted.load()) mine->call();
  });
  posted = job;
  posted = nullptr;
  delete job;
  worker.join();
}

# The schedule of a failure is made smaller before it is shown, and what is known of its preemptions is said.
import harness
from harness import BUG

# A pool whose destructor sets the flag without the mutex: a worker between its check and its wait misses the wake-up.
# It takes a preemption of the worker, and what brings it there.
POOL = """
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Pool() {
    stopped_ = true;
    changed_.notify_all();
    for (auto& worker : workers_) worker.join();
  }
  void add(std::function<void()> task) {
    {
      std::lock_guard held(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock held(mutex_);
        changed_.wait(held, [this] { return stopped_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> stopped_{false};
  std::vector<std::thread> workers_;
};
int main() {
  std::atomic<int> done{0};
  Pool pool(3);
  for (int i = 0; i < 4; ++i) pool.add([&] { ++done; });
}
"""
# The race comes first, the sleep behind it.
SLEEP = """
#include <pthread.h>
#include <unistd.h>
int shared;
static void* run(void* unused) {
  shared = 1;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, run, 0);
  shared = 2;
  pthread_join(thread, 0);
  usleep(1000);
  return 0;
}
"""
MINIMIZE = "--minimize=20s"  # what is shown does not depend on how busy the machine is


class Smallest(harness.TestCase):
    def build(self, text, name, compiler, *flags):
        source, program = self.scratch.path(name), self.scratch.path("program")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run([compiler, *flags, "-g", "-O1", "-pthread", source, "-o", program],
                    self.scratch.folder).require_status(0)
        return program

    def test_random_bugs_need_no_more_than_the_bounded_search_finds(self):
        """With the number of preemptions that bounded search proves to be needed; and that is said."""
        program = self.build(POOL, "pool.cpp", "g++", "-std=c++20")
        result, report = self.scratch.run_heddle("-j1", "--search=bounded", program)
        self.assertEqual(result.status, BUG, result.text)
        needed = report["bugs"][0]["preemptions"]
        self.assertEqual(report["preemption_bound_proved"], needed - 1)
        many = 0
        for seed in range(1, 11):
            result, report = self.scratch.run_heddle("-j1", "--search=random", f"--seed={seed}", MINIMIZE, program)
            self.assertEqual(result.status, BUG, result.text)
            bug = report["bugs"][0]
            self.assertEqual((bug["preemptions"], bug["needs_preemptions"]), (needed, True), result.text)
            self.assertEqual(bug["replays"], True, result.text)
            many += bug["preemptions_at_first"] > needed
            self.assertIn(f"needs {needed} preemption", result.text)
        self.assertGreater(many, 3, "the bugs were found with few preemptions: there was nothing to do")

    def test_where_there_is_no_time_nothing_is_claimed(self):
        program = self.build(POOL, "pool.cpp", "g++", "-std=c++20")
        result, report = self.scratch.run_heddle("-j1", "--search=random", "--minimize=no", program)
        self.assertEqual(result.status, BUG, result.text)
        bug = report["bugs"][0]
        self.assertEqual((bug["preemptions"], bug["needs_preemptions"]), (bug["preemptions_at_first"], False))
        self.assertNotIn(f"needs {bug['preemptions']} preemption", result.text)

    def test_the_limit_is_told_where_a_failure_was_made_smaller_last(self):
        _, report = self.scratch.run_heddle("-j1", "--search=dpor", "--keep-going", "--max-schedules=40",
                                            "--isolation=fork", harness.program("corpus/main_returns_handler"))
        self.assertEqual((report["schedules"], report["stop_reason"]), (40, "schedules"))

    def test_a_race_needs_nothing_that_comes_after_it(self):
        program = self.build(SLEEP, "sleep.c", harness.program("heddle-cc"))
        result, report = self.scratch.run_heddle("-j1", program)
        self.assertEqual(result.status, BUG, result.text)
        self.assertEqual(report["bugs"][0]["kind"], "data race")
        self.assertNotIn("needs a timeout", result.text)


if __name__ == "__main__":
    harness.main()

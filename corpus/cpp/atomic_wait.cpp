// std::atomic wait and notify: they come down to futexes.
// heddle: run
// expect: clean bound 2
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> stage{0};
  std::thread worker([&] {
    stage.wait(0);
    stage = 2;
    stage.notify_one();
  });
  stage = 1;
  stage.notify_one();
  stage.wait(1);
  assert(stage == 2);
  worker.join();
}

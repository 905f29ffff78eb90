// The same, read behind the join.
// heddle: run
// expect: clean complete
// twin: races/race_on_stack.cpp
// build: heddle-cc clang
#include <cstdio>
#include <thread>

int main() {
  int result = 0;
  std::thread worker([&result] { result = 1; });
  worker.join();
  std::printf("%d\n", result);
}

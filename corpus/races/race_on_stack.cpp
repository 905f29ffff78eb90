// A thread writes to a variable on the stack of the one that has created it, which reads it before joining.
// heddle: run
// expect: bug data race at bound 0
// twin: races/race_on_stack_joined.cpp
// build: heddle-cc clang
#include <cstdio>
#include <thread>

int main() {
  int result = 0;
  std::thread worker([&result] { result = 1; });
  std::printf("%d\n", result);
  worker.join();
}

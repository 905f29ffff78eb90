// Threads that come one behind the other and have stacks at the same places: nothing races.
// heddle: run
// expect: clean bound 2
// twin: races/race_on_stack.cpp
// build: heddle-cc
#include <thread>

static void use() {
  volatile int many[64];
  int sum = 0;
  for (int i = 0; i < 64; ++i) many[i] = i;
  for (int i = 0; i < 64; ++i) sum += many[i];
  static thread_local int own = 0;
  own += sum;
}

int main() {
  std::thread outer([] { std::thread(use).join(); });
  for (int i = 0; i < 3; ++i) std::thread(use).detach();
  outer.join();
}

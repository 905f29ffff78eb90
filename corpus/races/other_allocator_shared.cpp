// Both threads write to one block of an allocator that the program brings along.
// heddle: run
// expect: bug data race at bound 0
// twin: races/other_allocator_again.cpp
// build: heddle-cc
// library: races/library/allocator.c
#include <memory>
#include <thread>

int main() {
  const auto shared = std::make_unique<int>(0);
  std::thread one([&] { *shared = 1; }), other([&] { *shared = 2; });
  one.join();
  other.join();
}

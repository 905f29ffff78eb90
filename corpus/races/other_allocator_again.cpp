// Each thread allocates, writes and frees for itself, by an allocator that the program brings along: blocks of one
// thread become blocks of the other, by malloc() and by operator new.
// heddle: run
// expect: clean complete
// twin: races/other_allocator_shared.cpp
// build: heddle-cc
// library: races/library/allocator.c
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

static void use(int value) {
  auto* const block = static_cast<int*>(std::malloc(2000));
  block[1] = value;
  std::free(block);
  auto* const zeros = static_cast<int*>(std::calloc(10, 100));
  zeros[1] += value;
  char* const copy = strdup("text");
  copy[0] = 'T';
  const auto owned = std::make_unique<int>(value);
  std::vector<int> numbers(100, value);
  if (block == nullptr || zeros[1] + numbers[99] + *owned != 3 * value) __builtin_trap();
  std::free(zeros);
  std::free(copy);
}

int main() {
  std::thread one(use, 1), other(use, 2);
  one.join();
  other.join();
}

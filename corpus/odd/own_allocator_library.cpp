// The program's malloc comes from a library of its own: Heddle's must not get between them.
// heddle: run
// expect: clean complete
// library: odd/library/own_allocator.c
#include <malloc.h>

#include <cassert>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

extern "C" int own_calls;

int main() {
  const int before = own_calls;
  std::mutex mutex;
  std::vector<std::string> words;
  const auto work = [&] {
    std::lock_guard guard(mutex);
    words.emplace_back(100, 'x');
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  void* page = nullptr;
  assert(posix_memalign(&page, 4096, 10) == 0 && malloc_usable_size(page) == 10);
  free(page);
  assert(words.size() == 2 && own_calls >= before + 6);
}

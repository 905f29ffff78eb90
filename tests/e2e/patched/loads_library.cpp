// Loads the library whose path is its argument before it creates a thread.
#include <dlfcn.h>

#include <cassert>
#include <thread>

int main(int, char** arguments) {
  void* const library = dlopen(arguments[1], RTLD_NOW);
  const auto take = library != nullptr ? reinterpret_cast<int (*)()>(dlsym(library, "take_number")) : nullptr;
  if (take == nullptr) return 2;
  int first = 0, second = 0;
  std::thread thread([&] { first = take(); });
  second = take();
  thread.join();
  assert(first != second);
}

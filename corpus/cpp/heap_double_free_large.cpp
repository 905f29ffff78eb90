// The last of two users frees a buffer that is so large that its pages are given back to the kernel. Each looks at the
// count again after it gave its share back: both may see zero.
// heddle: run
// expect: bug crash at bound 1
// says: had freed it before, at heap_double_free_large.cpp:23
// twin: heap_freed_once_large.cpp
#include <cstring>
#include <mutex>
#include <thread>

struct Buffer {
  static constexpr std::size_t kBytes = std::size_t{12} << 20;
  char* data = new char[kBytes];
  int users = 2;
  std::mutex mutex;

  void done() {
    {
      std::lock_guard guard(mutex);
      --users;
    }
    std::lock_guard guard(mutex);
    if (users == 0) delete[] data;  // the bug: the other one may be here too
  }
};

int main() {
  Buffer buffer;
  std::memset(buffer.data + Buffer::kBytes - 8192, 1, 4096);
  std::thread first([&] { buffer.done(); });
  std::thread second([&] { buffer.done(); });
  first.join();
  second.join();
}

// The last of two users frees a buffer that is so large that its pages are given back to the kernel: it counts down and
// looks in one critical section.
// heddle: run
// expect: clean complete
// twin: heap_double_free_large.cpp
#include <cstring>
#include <mutex>
#include <thread>

struct Buffer {
  static constexpr std::size_t kBytes = std::size_t{12} << 20;
  char* data = new char[kBytes];
  int users = 2;
  std::mutex mutex;

  void done() {
    std::lock_guard guard(mutex);
    if (--users == 0) delete[] data;
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

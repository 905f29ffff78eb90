// The last of two users frees the buffer: it counts down and looks in one critical section.
// heddle: run
// expect: clean complete
// twin: heap_double_free.cpp
#include <mutex>
#include <thread>

struct Buffer {
  int* data = new int[4]{};
  int users = 2;
  std::mutex mutex;

  void done() {
    std::lock_guard guard(mutex);
    if (--users == 0) delete[] data;
  }
};

int main() {
  Buffer buffer;
  std::thread first([&] { buffer.done(); });
  std::thread second([&] { buffer.done(); });
  first.join();
  second.join();
}

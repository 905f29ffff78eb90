// The last of two users frees the buffer. Each looks at the count again after it gave its share back: both may see
// zero.
// heddle: run
// expect: bug crash at bound 1
// says: free(): double free
// says: had freed it before, at heap_double_free.cpp:22
// twin: heap_freed_once.cpp
#include <mutex>
#include <thread>

struct Buffer {
  int* data = new int[4]{};
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
  std::thread first([&] { buffer.done(); });
  std::thread second([&] { buffer.done(); });
  first.join();
  second.join();
}

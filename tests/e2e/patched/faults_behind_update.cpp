// The instruction behind an update reads from a null pointer. Both run elsewhere, since the update is short.
#include <atomic>
#include <thread>

std::atomic<int> count{2};

__attribute__((noinline)) int read_behind_update(std::atomic<int>* of, const int* from) {
  of->fetch_sub(1);
  return *from;
}

int result = 0;

void work() { result = read_behind_update(&count, nullptr); }

int main() {
  std::thread thread(work);
  thread.join();
}

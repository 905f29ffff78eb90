// To append a buffer, its length is read under its lock, and its characters under the same lock taken again: it may be
// shorter then. Shape of SCTBench's stringbuffer-jdk1.4, after Java's StringBuffer.
// build: plain
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

class Buffer {
 public:
  void append(char character) {
    const std::lock_guard guard(lock_);
    text_ += character;
  }

  void append(Buffer& other) {
    std::unique_lock guard(other.lock_);
    const std::size_t length = other.text_.size();
#ifndef FIXED
    guard.unlock();
    guard.lock();
#endif
    assert(length <= other.text_.size());
    const std::string copy = other.text_.substr(0, length);
    guard.unlock();
    for (const char character : copy) append(character);
  }

  void erase() {
    const std::lock_guard guard(lock_);
    text_.clear();
  }

 private:
  std::mutex lock_;
  std::string text_;
};

static Buffer source, target;

static void fill_and_erase() {
  for (const char character : {'a', 'b', 'c'}) source.append(character);
  for (int i = 0; i < 25; ++i) target.append('-');
  source.erase();
}

static void gather() {
  for (int i = 0; i < 25; ++i) target.append('.');
  target.append(source);
  target.append('.');
}

int main() {
  std::thread threads[] = {std::thread(fill_and_erase), std::thread(gather)};
  for (std::thread& thread : threads) thread.join();
}

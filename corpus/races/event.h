// What one thread waits for and another one sets.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

struct Event {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_set = false;
  void set();
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return is_set; });
  }
};

int main() {
  auto event = std::make_unique<Event>();
  std::thread setter([&event = *event] { event.set(); });
  event->wait();
  event.reset();
  setter.join();
}

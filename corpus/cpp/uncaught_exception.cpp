// Two customers see the last item; the second to take it gets an exception that nobody catches.
// heddle: run
// expect: bug exception at bound 1
// says: nothing is left
// says: std::runtime_error
// twin: exception_avoided.cpp
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Inventory {
 public:
  bool empty() const {
    std::lock_guard guard(mutex_);
    return items_.empty();
  }
  int take() {
    std::lock_guard guard(mutex_);
    if (items_.empty()) throw std::runtime_error("nothing is left");
    const int item = items_.back();
    items_.pop_back();
    return item;
  }
  bool take_if_any(int& item) {
    std::lock_guard guard(mutex_);
    if (items_.empty()) return false;
    item = items_.back();
    items_.pop_back();
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<int> items_{1};
};

int main() {
  Inventory inventory;
  const auto customer = [&] {
    if (!inventory.empty()) inventory.take();
  };
  std::thread first(customer), second(customer);
  first.join();
  second.join();
}

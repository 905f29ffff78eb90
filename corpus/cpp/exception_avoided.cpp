// Two customers; looking and taking are one step.
// heddle: run
// expect: clean complete
// twin: uncaught_exception.cpp
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
    int item = 0;
    inventory.take_if_any(item);
  };
  std::thread first(customer), second(customer);
  first.join();
  second.join();
}

// What a C++ library's own headers make of threads, atomics and containers: for libc++, whose shared object is not
// instrumented. Names as in every_access.cpp: each race_ is to be told of, no fine_ is.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace {

template <typename First, typename Second>
void together(First first, Second second) {
  std::thread one(first), other(second);
  one.join();
  other.join();
}

void with_locks() {
  std::mutex mutex;
  std::shared_mutex shared;
  std::vector<int> vector;
  std::map<int, std::string> map;
  std::unordered_map<int, int> hashed;
  std::deque<long> deque;
  const auto work = [&](int number) {
    for (int i = 0; i < 20; ++i) {
      const std::lock_guard lock(mutex);
      vector.push_back(i);                                        // fine_vector
      map[i] = std::string(40, static_cast<char>('a' + number));  // fine_map
      deque.push_front(i);                                        // fine_deque
    }
    {
      const std::unique_lock lock(shared);
      hashed[number] = number;  // fine_unordered_map
    }
    const std::shared_lock lock(shared);
    if (hashed.empty()) std::terminate();  // fine_unordered_map
  };
  together([&] { work(0); }, [&] { work(1); });
}

void without_locks() {
  std::vector<int> vector(8);
  std::string text = "a text that is too long to be kept in the object itself";
  together([&] { vector[3] = 1; },   // race_vector
           [&] { vector[3] = 2; });  // race_vector
  together([&] { vector[4] = 1; },   // fine_neighbour
           [&] { vector[5] = 2; });  // fine_neighbour
  together([&] { text[3] = 'x'; },   // race_string
           [&] { text[3] = 'y'; });  // race_string
}

void handed_over() {
  std::atomic<bool> ready(false);
  int by_atomic = 0, by_relaxed = 0, by_future = 0, by_condition = 0;
  std::atomic<bool> relaxed(false);
  together(
      [&] {
        by_atomic = 1;  // fine_atomic
        ready.store(true, std::memory_order_release);
        by_relaxed = 1;  // race_relaxed
        relaxed.store(true, std::memory_order_relaxed);
      },
      [&] {
        while (!ready.load(std::memory_order_acquire)) std::this_thread::yield();
        by_atomic = 2;  // fine_atomic
        while (!relaxed.load(std::memory_order_relaxed)) std::this_thread::yield();
        by_relaxed = 2;  // race_relaxed
      });
  std::promise<int*> promise;
  std::future<int*> future = promise.get_future();
  together(
      [&] {
        by_future = 1;
        promise.set_value(&by_future);
      },                            // fine_future
      [&] { *future.get() = 2; });  // fine_future
  std::mutex mutex;
  std::condition_variable condition;
  bool is_done = false;
  together(
      [&] {
        by_condition = 1;  // fine_condition
        const std::lock_guard lock(mutex);
        is_done = true;
        condition.notify_one();
      },
      [&] {
        std::unique_lock lock(mutex);
        condition.wait(lock, [&] { return is_done; });
        by_condition = 2;  // fine_condition
      });
}

void counted() {
  struct Counted {
    int value = 0;
    ~Counted() { value = 3; }  // fine_last_reference
  };
  auto first = std::make_shared<Counted>();
  auto second = first;
  together(
      [&] {
        first->value = 1;  // race_through_shared
        first.reset();     // fine_last_reference
      },
      [&] {
        second->value = 2;  // race_through_shared
        second.reset();     // fine_last_reference
      });
  std::function<void()> function = [value = std::make_shared<int>(1)] { ++*value; };  // race_in_function
  together(function, function);
}

}  // namespace

int main() {
  with_locks();
  without_locks();
  handed_over();
  counted();
}

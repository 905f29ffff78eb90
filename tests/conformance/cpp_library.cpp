// What the C++ library makes of the calls: mutexes, futures, guards of static locals, clocks, stop tokens.
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include "check.h"

namespace {

using namespace std::chrono_literals;

template <class Call>
const char* error_of(Call call) {
  try {
    call();
    return "no exception";
  } catch (const std::future_error& error) {
    return error.code() == std::future_errc::broken_promise              ? "broken_promise"
           : error.code() == std::future_errc::future_already_retrieved  ? "future_already_retrieved"
           : error.code() == std::future_errc::promise_already_satisfied ? "promise_already_satisfied"
           : error.code() == std::future_errc::no_state                  ? "no_state"
                                                                         : "another future_errc";
  } catch (const std::system_error& error) {
    return error_name(error.code().value());
  } catch (const std::runtime_error& error) {
    return "runtime_error";
  } catch (...) {
    return "something else";
  }
}

void check_mutexes() {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  HOLDS("std::mutex::try_lock", "held by another",
        !std::async(std::launch::async, [&] { return mutex.try_lock(); }).get());
  say("std::unique_lock::lock", "it owns the mutex", error_of([&] { lock.lock(); }), error_name(EDEADLK));
  lock.unlock();
  say("std::unique_lock::unlock", "it does not own the mutex", error_of([&] { lock.unlock(); }), error_name(EPERM));
  HOLDS("std::mutex::try_lock", "free", lock.try_lock());
  lock.unlock();
  std::timed_mutex timed;
  timed.lock();
  HOLDS("std::timed_mutex::try_lock_for", "held by another",
        !std::async(std::launch::async, [&] { return timed.try_lock_for(5ms); }).get());
  HOLDS("std::timed_mutex::try_lock_until", "held by another",
        !std::async(std::launch::async, [&] {
           return timed.try_lock_until(std::chrono::system_clock::now() + 5ms);
         }).get());
  timed.unlock();
  HOLDS("std::timed_mutex::try_lock_for", "free", timed.try_lock_for(1s));
  timed.unlock();
  std::recursive_mutex recursive;
  recursive.lock();
  HOLDS("std::recursive_mutex::try_lock", "held by itself", recursive.try_lock());
  HOLDS("std::recursive_mutex::try_lock", "held by another",
        !std::async(std::launch::async, [&] { return recursive.try_lock(); }).get());
  recursive.unlock(), recursive.unlock();
  std::shared_mutex shared;
  shared.lock_shared();
  HOLDS(
      "std::shared_mutex::try_lock_shared", "held for reading",
      std::async(std::launch::async, [&] { return shared.try_lock_shared() && (shared.unlock_shared(), true); }).get());
  HOLDS("std::shared_mutex::try_lock", "held for reading",
        !std::async(std::launch::async, [&] { return shared.try_lock(); }).get());
  shared.unlock_shared();
  std::mutex other;
  {
    const std::scoped_lock both(mutex, other);
    HOLDS("std::scoped_lock", "two mutexes",
          !std::async(std::launch::async, [&] { return mutex.try_lock() || other.try_lock(); }).get());
  }
  VALUE_OF("std::try_lock", "two free mutexes", -1, std::try_lock(mutex, other));
  mutex.unlock(), other.unlock();
}

void check_conditions() {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::unique_lock lock(mutex);
  HOLDS("std::condition_variable::wait_for", "nobody notifies",
        condition.wait_for(lock, 5ms) == std::cv_status::timeout);
  HOLDS("std::condition_variable::wait_for", "the predicate stays false",
        !condition.wait_for(lock, 5ms, [&] { return ready; }));
  std::jthread notifier([&] {
    const std::lock_guard own(mutex);
    ready = true;
    condition.notify_one();
  });
  condition.wait(lock, [&] { return ready; });
  HOLDS("std::condition_variable::wait", "another thread notifies", ready);
  HOLDS("std::condition_variable::wait_until", "the predicate is true",
        condition.wait_until(lock, std::chrono::steady_clock::now() + 1s, [&] { return ready; }));
  lock.unlock();
  std::condition_variable_any any;
  std::jthread stopped([&](const std::stop_token& token) {
    std::unique_lock own(mutex);
    any.wait(own, token, [] { return false; });
  });
  stopped.request_stop();
  stopped.join();
  HOLDS("std::condition_variable_any::wait", "ends by a stop token", true);
}

void check_futures() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  HOLDS("std::future::wait_for", "no value yet", future.wait_for(5ms) == std::future_status::timeout);
  say("std::promise::get_future", "a second time", error_of([&] { promise.get_future(); }), "future_already_retrieved");
  std::jthread setter([&] { promise.set_value(7); });
  VALUE_OF("std::future::get", "another thread sets it", 7, future.get());
  setter.join();
  say("std::promise::set_value", "a second time", error_of([&] { promise.set_value(8); }), "promise_already_satisfied");
  say("std::future::get", "a second time", error_of([&] { future.get(); }), "no_state");
  std::future<int> broken;
  {
    std::promise<int> forgotten;
    broken = forgotten.get_future();
  }
  say("std::future::get", "the promise is gone", error_of([&] { broken.get(); }), "broken_promise");
  auto thrown = std::async(std::launch::async, []() -> int { throw std::runtime_error("no"); });
  say("std::async", "the function throws", error_of([&] { thrown.get(); }), "runtime_error");
  auto deferred = std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
  HOLDS("std::async", "deferred runs in the thread that asks", deferred.get() == std::this_thread::get_id());
  std::packaged_task<int(int)> task([](int n) { return n * 2; });
  auto result = task.get_future();
  std::jthread(std::move(task), 21).join();
  VALUE_OF("std::packaged_task", "run in another thread", 42, result.get());
  auto shared = std::async(std::launch::async, [] { return 5; }).share();
  VALUE_OF("std::shared_future::get", "twice", 10, shared.get() + shared.get());
}

void check_counters() {
  std::counting_semaphore<8> semaphore(1);
  HOLDS("std::counting_semaphore::try_acquire", "value 1", semaphore.try_acquire());
  HOLDS("std::counting_semaphore::try_acquire", "value 0", !semaphore.try_acquire());
  HOLDS("std::counting_semaphore::try_acquire_for", "value 0", !semaphore.try_acquire_for(5ms));
  std::jthread releaser([&] { semaphore.release(2); });
  semaphore.acquire(), semaphore.acquire();
  HOLDS("std::counting_semaphore::acquire", "another thread releases two", !semaphore.try_acquire());
  std::latch latch(2);
  std::jthread arriver([&] { latch.count_down(); });
  latch.arrive_and_wait();
  HOLDS("std::latch::try_wait", "all have arrived", latch.try_wait());
  int phases = 0;
  std::barrier barrier(2, [&]() noexcept { ++phases; });
  std::jthread other([&] { barrier.arrive_and_wait(), barrier.arrive_and_wait(); });
  barrier.arrive_and_wait(), barrier.arrive_and_wait();
  other.join();
  VALUE_OF("std::barrier::arrive_and_wait", "phases of two threads", 2, phases);
  std::atomic<int> word = 0;
  std::jthread changer([&] { word = 1, word.notify_one(); });
  word.wait(0);
  VALUE_OF("std::atomic::wait", "until another thread changes it", 1, word.load());
}

int made = 0;

struct Made {
  explicit Made(bool fails) {
    if (fails) throw std::runtime_error("not yet");
    ++made;
  }
};

const Made& the_one(bool fails) {
  static const Made one(fails);
  return one;
}

void check_statics() {
  say("__cxa_guard_abort", "the initializer throws", error_of([] { the_one(true); }), "runtime_error");
  VALUE_OF("__cxa_guard_acquire", "after a failed attempt", 0, made);
  std::jthread one([] { the_one(false); }), two([] { the_one(false); });
  one.join(), two.join();
  VALUE_OF("__cxa_guard_acquire", "two threads at once", 1, made);
  the_one(false);
  VALUE_OF("__cxa_guard_release", "later calls find it made", 1, made);
  std::once_flag flag;
  int runs = 0;
  say("std::call_once", "the function throws",
      error_of([&] { std::call_once(flag, [] { throw std::runtime_error("no"); }); }), "runtime_error");
  std::call_once(flag, [&] { ++runs; });
  std::call_once(flag, [&] { ++runs; });
  VALUE_OF("std::call_once", "after a failed attempt, and again", 1, runs);
}

void check_threads_and_clocks() {
  std::thread thread([] {});
  HOLDS("std::thread::joinable", "running or ended", thread.joinable());
  thread.join();
  HOLDS("std::thread::joinable", "joined", !thread.joinable());
  say("std::thread::join", "not joinable", error_of([&] { thread.join(); }), error_name(EINVAL));
  say("std::thread::detach", "not joinable", error_of([&] { thread.detach(); }), error_name(EINVAL));
  HOLDS("std::thread::hardware_concurrency", "at least one", std::thread::hardware_concurrency() >= 1);
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(5ms);
  HOLDS("std::this_thread::sleep_for", "not shorter than asked", std::chrono::steady_clock::now() - before >= 5ms);
  const auto until = std::chrono::system_clock::now() + 5ms;
  std::this_thread::sleep_until(until);
  HOLDS("std::this_thread::sleep_until", "not before the time", std::chrono::system_clock::now() >= until);
  HOLDS("std::random_device", "two numbers in range", [] {
    std::random_device device;
    return device() <= std::random_device::max() && device() <= std::random_device::max();
  }());
}

}  // namespace

int main() {
  begin_checks();
  check_mutexes();
  check_conditions();
  check_futures();
  check_counters();
  check_statics();
  check_threads_and_clocks();
  return end_checks();
}

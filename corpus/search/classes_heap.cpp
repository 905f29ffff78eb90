// Objects with mutexes that threads allocate, in an order that depends on the schedule: their addresses differ between
// schedules. Each thread has one of its own, that nobody else uses, and they pass one on; only that one counts.
// heddle: run --search=dpor
// expect: clean complete
// schedules: 6
#include <memory>
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 0;
};

static void pay_in(Account& account) {
  const std::lock_guard<std::mutex> guard(account.mutex);
  ++account.balance;
}

int main() {
  std::unique_ptr<Account> shared;
  const auto work = [&shared] {
    const auto own = std::make_unique<Account>();
    pay_in(*own);
    const auto another = std::make_unique<Account>();
    pay_in(*shared);
    pay_in(*another);
    pay_in(*own);
  };
  std::mutex ready;
  ready.lock();
  std::thread first([&] {
    ready.lock();
    ready.unlock();
    work();
  });
  shared = std::make_unique<Account>();  // while there is a thread already
  ready.unlock();
  std::thread second(work), third(work);
  first.join();
  second.join();
  third.join();
}

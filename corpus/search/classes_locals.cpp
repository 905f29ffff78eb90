// Three threads around three mutexes on the stack of main(): as many schedules as with static ones (151 differ).
// heddle: run --search=dpor
// expect: clean complete
// schedules: 151
#include <mutex>
#include <thread>

struct Account {
  std::mutex mutex;
  int balance = 0;
};

static void pay_in_turn(Account& first, Account& second) {
  for (Account* account : {&first, &second, &first, &second}) {
    const std::lock_guard<std::mutex> guard(account->mutex);
    ++account->balance;
  }
}

int main() {
  Account a, b, c;
  std::thread threads[] = {std::thread([&] { pay_in_turn(a, b); }), std::thread([&] { pay_in_turn(b, c); }),
                           std::thread([&] { pay_in_turn(c, a); })};
  for (std::thread& thread : threads) thread.join();
}

// A deposit says that it is done in another critical section than the one that changes the balance, and an auditor
// comes between the two. Shape of SCTBench's account: deposit, withdrawal, and a check when both are done.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex lock;
static int balance = 100;
static bool deposited, withdrawn;

static void deposit() {
  std::unique_lock guard(lock);
  deposited = true;
#ifndef FIXED
  guard.unlock();
  guard.lock();
#endif
  balance += 50;
}

static void withdraw() {
  const std::lock_guard guard(lock);
  balance -= 20;
  withdrawn = true;
}

static void audit() {
  const std::lock_guard guard(lock);
  if (deposited && withdrawn) assert(balance == 130);
}

int main() {
  std::thread threads[] = {std::thread(deposit), std::thread(withdraw), std::thread(audit)};
  for (std::thread& thread : threads) thread.join();
}

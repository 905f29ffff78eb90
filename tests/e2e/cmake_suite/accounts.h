// Accounts, with and without the lock that they need.
#pragma once
#include <mutex>

struct Account {
  std::mutex mutex;
  long balance = 100;
};

void deposit(Account& account, long amount);  // for one thread at a time
void transfer(Account& from, Account& to, long amount);

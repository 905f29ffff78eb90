// What the tests of this folder are about: an account with a right and a wrong way to withdraw, and a mailbox that may
// be closed under a sender's hands.
#pragma once

#include <mutex>
#include <thread>

class Account {
 public:
  bool withdraw(int amount) {
    const std::lock_guard guard(mutex_);
    if (balance_ < amount) return false;
    balance_ -= amount;
    return true;
  }

  // The bug: another thread may withdraw between the look and the withdrawal.
  bool look_then_withdraw(int amount) {
    if (balance() < amount) return false;
    const std::lock_guard guard(mutex_);
    balance_ -= amount;
    return true;
  }

  int balance() {
    const std::lock_guard guard(mutex_);
    return balance_;
  }

 private:
  std::mutex mutex_;
  int balance_ = 100;
};

// What is left after two threads wanted 70 each.
inline int balance_after_two(bool (Account::*withdraw)(int)) {
  Account account;
  std::thread other([&] { (account.*withdraw)(70); });
  (account.*withdraw)(70);
  other.join();
  return account.balance();
}

class Mailbox {
 public:
  // The bug: the mailbox may be closed after the question.
  void post() {
    if (letters() != nullptr) ++*letters();
  }

  void close() {
    const std::lock_guard guard(mutex_);
    open_ = nullptr;
  }

 private:
  int* letters() {
    const std::lock_guard guard(mutex_);
    return open_;
  }

  std::mutex mutex_;
  int count_ = 0;
  int* open_ = &count_;
};

inline bool post_while_closing() {
  Mailbox mailbox;
  std::thread closer([&] { mailbox.close(); });
  mailbox.post();
  closer.join();
  return true;
}

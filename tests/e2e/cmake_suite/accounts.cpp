// See accounts.h. transfer() locks in the order of its arguments, whatever that is.
#include "accounts.h"

#include "ledger/ledger.h"

void deposit(Account& account, long amount) { account.balance += amount; }

void transfer(Account& from, Account& to, long amount) {
  const std::lock_guard one(from.mutex);
  const std::lock_guard two(to.mutex);
  from.balance -= amount;
  to.balance += amount;
  note(amount);
}

// Tests with a deadlock, a data race, neither of them, and without threads.
#include "accounts.h"

#include <gtest/gtest.h>

#include <thread>

TEST(Accounts, Crossed) {
  Account a, b;
  std::thread other([&] { transfer(b, a, 20); });
  transfer(a, b, 30);
  other.join();
}

TEST(Accounts, Ordered) {
  Account a, b;
  std::thread other([&] { transfer(a, b, 20); });
  transfer(a, b, 30);
  other.join();
  EXPECT_EQ(a.balance + b.balance, 200);
}

TEST(Accounts, Deposits) {
  Account a;
  std::thread other([&] { deposit(a, 20); });
  deposit(a, 30);
  other.join();
  EXPECT_EQ(a.balance, 150);
}

TEST(Accounts, DISABLED_Crossed) { FAIL(); }

TEST(Sums, Right) { EXPECT_EQ(1 + 1, 2); }
TEST(Sums, Wrong) { EXPECT_EQ(1 + 1, 3) << "without creating a thread: there is only one schedule"; }

class Times : public testing::TestWithParam<int> {};
TEST_P(Times, Ordered) {
  Account a, b;
  std::thread other([&] { transfer(a, b, GetParam()); });
  other.join();
}
INSTANTIATE_TEST_SUITE_P(Few, Times, testing::Values(1, 2));

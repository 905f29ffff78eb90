// CppUTest: one test alone by -sg GROUP -sn NAME.
#include <CppUTest/CommandLineTestRunner.h>
#include <CppUTest/TestHarness.h>

#include "account.h"

TEST_GROUP(Accounts){};

TEST(Accounts, good) { LONGS_EQUAL(30, balance_after_two(&Account::withdraw)); }
TEST(Accounts, bad) { CHECK(balance_after_two(&Account::look_then_withdraw) >= 0); }

int main(int count, char** words) { return CommandLineTestRunner::RunAllTests(count, words); }

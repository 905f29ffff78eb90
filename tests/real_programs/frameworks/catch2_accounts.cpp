// Catch2, version 2: one test alone by its name.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "account.h"

TEST_CASE("good") { CHECK(balance_after_two(&Account::withdraw) == 30); }
TEST_CASE("bad") { CHECK(balance_after_two(&Account::look_then_withdraw) >= 0); }
TEST_CASE("crash") { CHECK(post_while_closing()); }
TEST_CASE("thread") {
  Account account;
  std::thread([&] { REQUIRE(account.balance() == 0); }).join();
}

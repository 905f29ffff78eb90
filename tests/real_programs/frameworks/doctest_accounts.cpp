// doctest: one test alone by -tc=NAME.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "account.h"

TEST_CASE("good") { CHECK(balance_after_two(&Account::withdraw) == 30); }
TEST_CASE("bad") { CHECK(balance_after_two(&Account::look_then_withdraw) >= 0); }
TEST_CASE("crash") { CHECK(post_while_closing()); }

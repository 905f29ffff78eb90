// Boost.Test: one test alone by --run_test=NAME.
#define BOOST_TEST_DYN_LINK
#define BOOST_TEST_MODULE accounts
#include <boost/test/unit_test.hpp>

#include "account.h"

BOOST_AUTO_TEST_CASE(good) { BOOST_TEST(balance_after_two(&Account::withdraw) == 30); }
BOOST_AUTO_TEST_CASE(bad) { BOOST_TEST(balance_after_two(&Account::look_then_withdraw) >= 0); }
BOOST_AUTO_TEST_CASE(crash) { BOOST_TEST(post_while_closing()); }

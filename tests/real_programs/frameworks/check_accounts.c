// check: one case alone by CK_RUN_CASE=NAME in the environment; CK_FORK=no keeps the tests in this process.
#include <check.h>
#include <stdlib.h>

#include "account_in_c.h"

START_TEST(good_test) { ck_assert_int_eq(balance_after_two(withdraw), 30); }
END_TEST

START_TEST(bad_test) { ck_assert(balance_after_two(look_then_withdraw) >= 0); }
END_TEST

int main(void) {
  Suite* suite = suite_create("accounts");
  TCase* good = tcase_create("good");
  TCase* bad = tcase_create("bad");
  tcase_add_test(good, good_test);
  tcase_add_test(bad, bad_test);
  suite_add_tcase(suite, good);
  suite_add_tcase(suite, bad);
  SRunner* runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// cmocka: it has no options of its own; this program takes the name of one test.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// These first, as cmocka.h wants it.
#include <cmocka.h>

#include "account_in_c.h"

static void good(void** unused) {
  (void)unused;
  assert_int_equal(balance_after_two(withdraw), 30);
}

static void bad(void** unused) {
  (void)unused;
  assert_true(balance_after_two(look_then_withdraw) >= 0);
}

int main(int count, char** words) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(good), cmocka_unit_test(bad)};
  if (count > 1) cmocka_set_test_filter(words[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}

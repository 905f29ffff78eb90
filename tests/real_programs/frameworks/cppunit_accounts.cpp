// CppUnit: it has no options of its own; this program takes the name of one test.
#include <cppunit/extensions/HelperMacros.h>
#include <cppunit/extensions/TestFactoryRegistry.h>
#include <cppunit/ui/text/TestRunner.h>

#include "account.h"

class Accounts : public CppUnit::TestFixture {
  CPPUNIT_TEST_SUITE(Accounts);
  CPPUNIT_TEST(good);
  CPPUNIT_TEST(bad);
  CPPUNIT_TEST_SUITE_END();

 public:
  void good() { CPPUNIT_ASSERT_EQUAL(30, balance_after_two(&Account::withdraw)); }
  void bad() { CPPUNIT_ASSERT(balance_after_two(&Account::look_then_withdraw) >= 0); }
};

CPPUNIT_TEST_SUITE_REGISTRATION(Accounts);

int main(int count, char** words) {
  CppUnit::TextUi::TestRunner runner;
  runner.addTest(CppUnit::TestFactoryRegistry::getRegistry().makeTest());
  return runner.run(count > 1 ? words[1] : "") ? 0 : 1;
}

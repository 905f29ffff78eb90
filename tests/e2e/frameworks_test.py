# Tests written with the frameworks that Heddle knows besides GoogleTest: each has a good test and a bad one, some have
# one that crashes (tests/real_programs/frameworks). What a framework prints of a failure is what the bug says.
import os

import harness
from harness import BUG, NO_VERDICT, OK

CHECK_IN_ONE_PROCESS = {"CK_FORK": "no"}


class Frameworks(harness.TestCase):
    def explore(self, framework, choice=(), environment=None):
        program = harness.program(f"tests/real_programs/{framework}_accounts")
        if not os.path.exists(program):
            self.skipTest(f"{framework} is not installed")
        return self.scratch.run_heddle("-j1", "--output=none", "--", program, *choice, timeout_s=200,
                                       env={**os.environ, **(environment or {})})

    def good(self, framework, choice=(), environment=None, isolation="snapshot"):
        result, report = self.explore(framework, choice, environment)
        result.require_status(OK)
        result.require(report["complete"], "the search is not complete")
        result.require(report["tasks_max"] > 1, "there was one thread only")
        result.require(report["isolation"] == isolation, f"isolation is {report['isolation']}, not {isolation}")
        result.require("tests were run one after the other" not in result.text, "only one test was run")

    def bug(self, kind, framework, choice=(), environment=None):
        result, report = self.explore(framework, choice, environment)
        result.require_status(BUG)
        bug = report["bugs"][0]
        result.require(bug["kind"] == kind, f"the kind is {bug['kind']}, not {kind}")
        result.require_says("run again in a fresh process: reproduced")
        return result

    def bad(self, text, framework, choice=(), environment=None):
        """`text` is what the framework says, on lines that follow each other."""
        result = self.bug("assertion", framework, choice, environment)
        result.require_says(*text)
        self.scratch.heddle("replay", env={**os.environ, **(environment or {})}).require_status(BUG)

    def several(self, advice, framework, environment=None):
        """What is said when every schedule runs all tests of the program."""
        result, _ = self.explore(framework, (), environment)
        result.require_status(BUG)
        result.require_says("tests were run one after the other in every schedule; one at a time", *advice)
        result.require("gtest_filter" not in result.text, "this is no GoogleTest program")
        return result

    def test_doctest(self):
        self.good("doctest", ["-tc=good"])
        self.bad(["doctest_accounts.cpp:8: ERROR: CHECK( balance_after_two(&Account::look_then_withdraw) >= 0 ) is NOT "
                  "correct!\n    values: CHECK( -40 >= 0 )\n"], "doctest", ["-tc=bad"])
        self.bug("crash", "doctest", ["-tc=crash"])
        self.several(["3 tests", "doctest_accounts -tc=NAME"], "doctest")

    def test_catch2(self):
        self.good("catch2", ["good"])
        self.bad(["catch2_accounts.cpp:8: FAILED:\n", "with expansion:\n    -40 >= 0\n"], "catch2", ["bad"])
        self.bug("crash", "catch2", ["crash"])
        # The exception that ends a test ends the program here.
        self.bad(["catch2_accounts.cpp:12: FAILED:\n", "with expansion:\n    100 == 0\n"], "catch2", ["thread"])
        self.several(["4 tests", "catch2_accounts NAME"], "catch2")

    def test_boost_test(self):
        self.good("boost", ["--run_test=good"])
        self.bad(['boost_accounts.cpp(9): error: in "bad": check balance_after_two(&Account::look_then_withdraw) >= 0 '
                  "has failed [-40 < 0]\n"], "boost", ["--run_test=bad"])
        # Boost.Test catches the signal, and ends by an exit status.
        self.bug("crash", "boost", ["--run_test=crash"]).require_says('in "crash": memory access violation')
        left_alone = self.bug("crash", "boost", ["--run_test=crash", "--catch_system_errors=no"])
        left_alone.require_says("SIGSEGV at address 0x0")
        self.several(["3 tests", "boost_accounts --run_test=SUITE/CASE"], "boost")

    def test_cpputest(self):
        self.good("cpputest", ["-sg", "Accounts", "-sn", "good"])
        self.bad(["cpputest_accounts.cpp:10: error: Failure in TEST(Accounts, bad)\n"], "cpputest",
                 ["-sg", "Accounts", "-sn", "bad"])
        self.several(["2 tests", "cpputest_accounts -sg GROUP -sn NAME"], "cpputest")

    def test_cppunit(self):
        self.good("cppunit", ["Accounts::good"])
        self.bad(["1) test: Accounts::bad (F) line: 16 ", "- Expression: balance_after_two"], "cppunit",
                 ["Accounts::bad"])
        self.several(["2 tests"], "cppunit")

    def test_cmocka(self):
        self.good("cmocka", ["good"])
        self.bad(["[  ERROR   ] --- balance_after_two(look_then_withdraw) >= 0\n",
                  "cmocka_accounts.c:18: error: Failure!\n"], "cmocka", ["bad"])
        self.several(["2 tests"], "cmocka")

    def test_check(self):
        """check writes the results into a file of its own while the threads run: every execution is a fresh start."""
        self.good("check", (), {**CHECK_IN_ONE_PROCESS, "CK_RUN_CASE": "good"}, isolation="exec")
        self.bad(["check_accounts.c:10:F:bad:bad_test:0: Assertion 'balance_after_two(look_then_withdraw) >= 0' "
                  "failed"], "check", (), {**CHECK_IN_ONE_PROCESS, "CK_RUN_CASE": "bad"})
        self.several(["2 tests", "CK_FORK=no CK_RUN_CASE=CASE heddle run"], "check", CHECK_IN_ONE_PROCESS)

    def test_check_in_processes_of_its_own(self):
        result, _ = self.explore("check", (), {"CK_FORK": "yes"})
        result.require_status(NO_VERDICT)
        result.require_says("CK_FORK=no")

    def test_nothing_selected(self):
        result, _ = self.explore("doctest", ["-tc=none such"])
        result.require_status(NO_VERDICT)
        result.require_says("no doctest test was selected")


if __name__ == "__main__":
    harness.main()

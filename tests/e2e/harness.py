# What the end-to-end tests share: a scratch folder for each of a file's tests, and the entry. How heddle is run is in
# runs.py; its names can be imported from here, too.
import sys
import unittest

from runs import (BUG, INTERNAL, INTERRUPTED, NO_VERDICT, OK, OPTIONS, USAGE, Failure, Result, Scratch, drawn,
                  parse_options, program, read_trace, run, tests_before_accesses, trace_of,
                  with_search)


class TestCase(unittest.TestCase):
    """Gives every test a scratch folder of its own, kept when the test fails."""

    def setUp(self):
        self.scratch = Scratch(self._testMethodName)

    def tearDown(self):
        outcome = self._outcome.result
        if not outcome.failures and not outcome.errors:
            self.scratch.__exit__(None)


def main():
    """Entry of a *_test.py: options, then the names of test methods of the file's only TestCase."""
    names = parse_options(sys.argv[1:])
    module = sys.modules["__main__"]
    case = next(value for value in vars(module).values()
                if isinstance(value, type) and issubclass(value, TestCase) and value is not TestCase)
    suite = unittest.TestSuite(map(case, names)) if names else unittest.defaultTestLoader.loadTestsFromTestCase(case)
    outcome = unittest.TextTestRunner(verbosity=1).run(suite)
    if outcome.skipped:
        print("skipped:", outcome.skipped[0][1])
    sys.exit(0 if outcome.wasSuccessful() else 1)

# The classification of libc's functions: the check behind docs/API.md must see a missing line, and messages must point
# to lines that exist.
import dataclasses
import glob
import os
import re
import sys

import harness


class Api(harness.TestCase):
    def setUp(self):
        super().setUp()
        sys.path.insert(0, os.path.join(harness.OPTIONS.source, "tools"))
        self.table = __import__("api_table")
        self.check = __import__("check_api")

    def test_every_line_is_needed(self):
        """Without the line of any function, the check names that function."""
        classified = {row.function for row in self.table.rows()}
        families = self.table.families()
        found = {}
        for name in self.check.C_LIBRARIES + self.check.CPP_LIBRARIES:
            found |= self.check.seen_in(self.check.path_of(name))[0]
        self.assertEqual(list(self.check.unclassified(found, classified, families)), [])
        missed = {function for function, _ in self.check.unclassified(found, set(), families)}
        needless = sorted(classified - missed - set(LINES_FOR_THE_READER))
        self.assertEqual(needless, [], "these lines could go, and the check would not notice")

    def test_lines_say_what_becomes_of_the_system_calls(self):
        """A line that calls a modelled function unmodelled is found, and the other way round."""
        found, _ = self.check.seen_in(self.check.path_of("libc.so.6"))
        rows, modelled = self.table.rows(), self.check.modelled_calls()
        self.assertEqual(list(self.check.status_problems(rows, found, modelled)), [])
        for function, status in (("__read", "PassedThrough"), ("__poll", "PassedThrough"), ("fsync", "Dispatched")):
            changed = [dataclasses.replace(row, status=status, text="may block in the kernel")
                       for row in rows if row.function == function]
            self.assertEqual(len(list(self.check.status_problems(changed, found, modelled))), 1, function)

    def test_every_family_is_bounded(self):
        """A function that fits a family by its name is not covered when it reaches more than the family may."""
        for family in self.table.families():
            name = family.patterns[0].replace("*", "")
            self.assertTrue(family.covers(name, set(), False))
            self.assertFalse(family.covers(name, {"rt_sigsuspend"}, False), family.title)

    def test_messages_point_to_lines(self):
        with open(os.path.join(harness.OPTIONS.source, "docs", "API.md"), encoding="utf-8") as file:
            anchors = set(re.findall(r'<a id="(\w+)"', file.read()))
        named = set()
        for path in glob.glob(os.path.join(harness.OPTIONS.source, "src", "runtime", "**", "*.cpp"), recursive=True):
            with open(path, encoding="utf-8") as file:
                named |= set(re.findall(r'not_modelled\("(\w+)', file.read()))
        inspect = os.path.join(harness.OPTIONS.source, "src", "driver", "process", "inspect.cpp")
        with open(inspect, encoding="utf-8") as file:
            named |= set(re.findall(r'\{SYS_\w+, "(\w+)"\}', file.read()))
        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(named - anchors), [], "messages name these lines of docs/API.md, which it has not")


# Classified though what they reach does not ask for it: a reader will look for them. Jumps reach nothing but their
# target, and a mask of signals is put back on the way.
LINES_FOR_THE_READER = ("getpeername", "getsockname", "getsockopt", "setsockopt", "getsourcefilter", "setsourcefilter",
                        "getipv4sourcefilter", "setipv4sourcefilter", "fsync", "fdatasync", "msync", "dlopen", "dlsym",
                        "__cxa_finalize", "fopen", "fopen64", "longjmp", "_longjmp", "__longjmp_chk", "siglongjmp",
                        "getrlimit", "getrlimit64", "setrlimit", "setrlimit64", "prlimit", "prlimit64")

if __name__ == "__main__":
    harness.main()

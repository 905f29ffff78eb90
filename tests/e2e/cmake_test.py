# Heddle in the builds of others: heddle_discover_tests() and heddle_instrumented_copy() of CMake, on the project in
# cmake_suite; the recipes of the guide for Meson and make.
import json
import os
import re
import shutil
import xml.etree.ElementTree

import harness
from harness import OK, OPTIONS

# What is wrong with a line of CMakeLists.txt, or a property of a test.
WRONG = (
    ("heddle_discover_tests(nothing)", "no target nothing"),
    ("heddle_discover_tests(headers)", "headers is no executable of this build"),
    ("heddle_discover_tests(own TIMES 3s)", 'unknown argument "TIMES;3s": heddle_discover_tests(target [TIME'),
    ("heddle_discover_tests(own TIME)", "nothing follows TIME"),
    ("heddle_discover_tests(own TIME soon)", "TIME soon is not a time; write 500ms, 10s, 5m or 1h"),
    ("heddle_discover_tests(own LIST --list)", "LIST and SELECT belong together"),
    ("heddle_discover_tests(own SELECT --only {})", "LIST and SELECT belong together"),
    ("heddle_discover_tests(own LIST --list SELECT --only)", "SELECT needs {} where the test's name goes"),
    ('heddle_discover_tests(own LIST --list SELECT "--only {}")', 'SELECT takes words without spaces ("--only {}")'),
    ("heddle_discover_tests(own)\nheddle_discover_tests(own)", "the tests of own are discovered already"),
    ("unset(Heddle_EXECUTABLE)\nheddle_discover_tests(own)", "there is no program heddle beside"),
    ("heddle_instrumented_copy(nothing)", "no target nothing"),
    ("heddle_instrumented_copy(own INSTRUMENTED)", 'unknown argument "INSTRUMENTED"'),
    ("heddle_instrumented_copy(headers)", "headers is not compiled here"),
    ("add_custom_target(own_instrumented)\nheddle_instrumented_copy(own)", "but that is another target"),
)
LISTS = """cmake_minimum_required(VERSION 3.25)
project(wrong LANGUAGES %s)
find_package(Heddle REQUIRED)
add_executable(own own.c)
add_library(headers INTERFACE)
"""
# It looks like a GoogleTest program.
LISTS_NOTHING = """#include <stdio.h>
const char* mark = "InitGoogleTest";
int main(void) {
  fprintf(stderr, "%s: no licence; it is\\n    needed\\n", mark);
  return 3;
}
"""


LISTS_ONE = """#include <stdio.h>
const char* mark = "InitGoogleTest";
int main(void) { return puts("One.\\n  Test") < 0 || mark == NULL; }
"""


def suite(*path):
    return os.path.join(OPTIONS.source, "tests", "e2e", "cmake_suite", *path)


class CMake(harness.TestCase):
    def write(self, name, text):
        with open(self.scratch.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_checked(self, *command):
        result = harness.run(command, self.scratch.folder)
        result.require_status(OK)
        return result

    def configure(self, source, generator="-GNinja"):
        return harness.run(["cmake", generator, "-S", source, "-B", "built", f"-DHeddle_DIR={OPTIONS.build}"],
                           self.scratch.folder)

    def ctest(self, *options):
        """The outcome of each test that was run, by name."""
        out = self.scratch.path("ctest.xml")
        result = harness.run(["ctest", "--test-dir", "built", "-j2", "--output-junit", out, "--output-on-failure",
                              *options], self.scratch.folder)
        cases = xml.etree.ElementTree.parse(out).getroot().iter("testcase")
        return result, {case.get("name").removeprefix("heddle."): self.outcome(case) for case in cases}

    @staticmethod
    def outcome(case):
        skipped = case.find("skipped")
        return skipped.get("message") if skipped is not None else case.get("status")

    def properties(self, *options):
        """Of each test that CTest knows, by name."""
        listed = json.loads(self.run_checked("ctest", "--test-dir", "built", "--show-only=json-v1", *options).stdout)
        return {test["name"]: {one["name"]: one["value"] for one in test.get("properties", [])}
                for test in listed["tests"]}

    def require_not_built(self, program, *options):
        listed = self.run_checked("ctest", "--test-dir", "built", "-N", *options)
        listed.require_says(f"heddle.{program}: not built")
        listed.require(f"heddle.{program}." not in listed.text, "tests of a program that was not built")

    def test_each_test(self):
        self.configure(suite()).require_status(OK)
        self.require_not_built("accounts_test")
        self.run_checked("cmake", "--build", "built")
        self.check_properties()
        skipped = "SKIP_RETURN_CODE=77"
        outcomes = {"Accounts.Crossed": "fail", "Accounts.Ordered": "run", "Accounts.DISABLED_Crossed": "disabled",
                    "Few/Times.Ordered/0": "run", "Few/Times.Ordered/1": "run", "Sums.Right": skipped,
                    "Sums.Wrong": "fail"}
        result, found = self.ctest("-R", "accounts_test")
        plain = {f"accounts_test.{name}": outcome for name, outcome in outcomes.items()}
        copy = {f"accounts_test_instrumented.{name}": outcome for name, outcome in outcomes.items()}
        expected = {**plain, "accounts_test.Accounts.Deposits": "run",
                    **copy, "accounts_test_instrumented.Accounts.Deposits": "fail"}
        result.require(found == expected, f"{found} is not {expected}")
        result.require_says("deadlock", "heddle replay", "data race", "accounts.cpp:6", "perhaps it failed")
        self.check_copy()
        self.check_odd_names()
        self.check_own_runner()

    def check_properties(self):
        properties = self.properties()
        plain, copy = (properties[f"heddle.{name}.Few/Times.Ordered/1"]
                       for name in ("accounts_test", "accounts_test_instrumented"))
        self.assertEqual(plain["LABELS"], ["schedules", "slow"])
        self.assertEqual(copy["LABELS"], ["heddle"])
        self.assertEqual((plain["TIMEOUT"], copy["TIMEOUT"]), (64, 80))
        self.assertEqual(plain["WORKING_DIRECTORY"], self.scratch.path("built"))

    def check_copy(self):
        """The copies are instrumented, and use each other only; the first ones are as they were."""
        for name, copy in (("accounts_test", "accounts_test_instrumented"),
                           ("libaccounts.a", "libaccounts_instrumented.a"),
                           ("ledger/libledger.so", "libledger_instrumented.so")):
            plain = self.run_checked("nm", f"built/{name}")
            plain.require("__tsan_" not in plain.text, f"{name} is instrumented")
            self.run_checked("nm", f"built/{copy}").require_says("__tsan_read")
        libraries = self.run_checked("ldd", "built/accounts_test_instrumented").text
        self.assertEqual(re.findall(r"libledger\w*", libraries)[0], "libledger_instrumented")
        self.assertNotIn("libledger.so", libraries)

    def check_odd_names(self):
        """The names are those that the program prints, and each test runs the one that is called so."""
        with open(suite("odd_names.cpp"), encoding="utf-8") as file:
            lines = re.findall(r'TEST_CASE\("(.*)"\) \{ \w+\((\w+)\)', file.read())
        names = [re.sub(r"\\(.)", r"\1", name) for name, _ in lines]
        self.assertEqual(len(names), 7)
        result, found = self.ctest("-L", "odd")
        expected = {f"odd_names.{name}": "run" if right == "true" else "fail"
                    for name, (_, right) in zip(names, lines)}
        expected["odd_names.no thread; *"] = "SKIP_RETURN_CODE=77"
        result.require(found == expected, f"{found} is not {expected}")

    def check_own_runner(self):
        """A program of no framework, whose arguments list the tests and select one."""
        result, found = self.ctest("-L", "own")
        expected = {"own_runner.two words": "run", "own_runner.it's; \"$HOME\"": "fail",
                    "own_runner.alone": "SKIP_RETURN_CODE=77"}
        result.require(found == expected, f"{found} is not {expected}")

    def test_other_options(self):
        """What is asked for changes, and the program does not. Each configuration has tests of its own."""
        self.write("own.c", LISTS_ONE)
        for time, timeout in (("500ms", 62), ("1.5m", 300)):
            self.write("CMakeLists.txt", LISTS % "C" + f"enable_testing()\nheddle_discover_tests(own TIME {time})\n")
            self.configure(".", "-GNinja Multi-Config").require_status(OK)
            self.run_checked("cmake", "--build", "built", "--config", "Debug")
            self.assertEqual(self.properties("-C", "Debug")["heddle.own.One.Test"]["TIMEOUT"], timeout)
            self.require_not_built("own", "-C", "Release")

    def test_what_is_wrong_is_said(self):
        self.write("own.c", LISTS_NOTHING)
        for line, says in WRONG:
            self.write("CMakeLists.txt", LISTS % "NONE" + line + "\n")
            result = self.configure(".")
            result.require(result.status != OK, f"{line} is taken")
            result.require(says in " ".join(result.text.split()), f"{line}: expected to read: {says}")

    def test_a_program_that_lists_no_tests(self):
        self.write("own.c", LISTS_NOTHING)
        self.write("CMakeLists.txt", LISTS % "C" + "enable_testing()\nheddle_discover_tests(own)\n")
        self.configure(".").require_status(OK)
        result = harness.run(["cmake", "--build", "built"], self.scratch.folder)
        result.require(result.status != OK, "a program without tests is taken")
        result.require_says("heddle_discover_tests(own) can't list the tests", 'own --gtest_list_tests" printed this:',
                            "    InitGoogleTest: no licence; it is\n        needed\n")
        self.require_not_built("own")

    def recipes(self, language):
        """The blocks of this language in the guide, with the tutorial's program beside them."""
        with open(os.path.join(OPTIONS.source, "docs", "GUIDE.md"), encoding="utf-8") as file:
            blocks = re.findall(r"(?ms)^```(\w+)\n(.*?)^```$", file.read())
        header, test = [text for of, text in blocks if of == "cpp"][:2]
        self.write("worker.h", header)
        self.write("worker_test.cpp", test + "TEST(Sums, Add) { EXPECT_EQ(1 + 1, 2); }\n")
        return [text for of, text in blocks if of == language]

    def test_make(self):
        (text,) = self.recipes("make")
        self.write("Makefile", text)
        result = harness.run(["make", "check", f"HEDDLE={os.path.dirname(OPTIONS.heddle)}"], self.scratch.folder)
        result.require(result.status != OK, "the test of a worker with a bug has passed")
        result.require_says("Bug 1 in Worker.DoesItsJobs: deadlock")
        self.run_checked("nm", "worker_test_instrumented").require_says("__tsan_read")

    def test_meson(self):
        if shutil.which("meson") is None:
            self.skipTest("meson is not installed")
        (text,) = self.recipes("meson")
        self.write("meson.build", text.replace("'Worker.DoesItsJobs'", "'Worker.DoesItsJobs', 'Sums.Add'"))
        path = os.pathsep.join([os.path.dirname(OPTIONS.heddle), OPTIONS.build, os.environ["PATH"]])
        for folder, compiler in (("plain", "c++"), ("instrumented", "heddle-c++")):
            environment = {**os.environ, "PATH": path, "CXX": compiler}
            harness.run(["meson", "setup", folder], self.scratch.folder, env=environment).require_status(OK)
            result = harness.run(["meson", "test", "-C", folder, "--print-errorlogs"], self.scratch.folder,
                                 env=environment)
            result.require(result.status != OK, "the test of a worker with a bug has passed")
            result.require_says("deadlock")
            result.require(re.search(r"Sums.Add +SKIP", result.text), "what has no threads is not skipped")
        self.run_checked("nm", "instrumented/worker_test").require_says("__tsan_read")


if __name__ == "__main__":
    harness.main()

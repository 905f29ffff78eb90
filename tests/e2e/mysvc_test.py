# A user's CMake project from end to end: its tests are discovered, as they are and instrumented; the reports for CI are
# as their schemas say; a bug is kept, mended and tried again; a baseline lets only new bugs fail.
import json
import os
import shutil
import subprocess
import time
import xml.etree.ElementTree

import harness
import schema
from harness import BUG, OK, OPTIONS

# What becomes of each test: the kind of its first bug, or "ok" or "skipped"; then where the program is instrumented.
EXPECTED = {
    "Pool.RunsAllTasks": ("deadlock", "deadlock"),
    "Bank.TransferKeepsSum": ("ok", "data race"),
    "Bank.LockedTransfer": ("deadlock", "deadlock"),
    "Service.StopsCleanly": ("misuse", "data race"),
    "Config.InitOnce": ("ok", "data race"),
    "Queue.Fifo": ("ok", "ok"),
    "Watchdog.NotExpired": ("assertion", "assertion"),
    "Async.SumInParallel": ("ok", "ok"),
    "Async.PromiseLives": ("assertion", "assertion"),
    "Cache.LoadsOnce": ("assertion", "assertion"),
    "Plain.NoThreads": ("skipped", "skipped"),
}
CTEST_WORDS = {"ok": "run", "skipped": "SKIP_RETURN_CODE=77"}
MANY_WAYS = "Service.StopsCleanly"  # a use after free, which shows now as one bug, now as another
POOL = "Pool.RunsAllTasks"
BUG_IN_POOL = "    stop_ = true;\n"
MENDED_POOL = "    {\n      std::lock_guard<std::mutex> l(m_);\n      stop_ = true;\n    }\n"


class Mysvc(harness.TestCase):
    def command(self, *words, status=OK):
        result = harness.run(words, self.scratch.folder, timeout_s=300)  # a compilation of a loaded machine
        result.require_status(status)
        return result

    def long_test_time_is_kept_beside_much_else(self):
        """A bug is not reported late where the machine has much else to do: eight others on our processor."""
        program = self.scratch.path("mysvc_tests")
        source = os.path.join(OPTIONS.source, "tests", "e2e", "mysvc_suite", "mysvc_tests.cpp")
        self.command(os.path.join(OPTIONS.build, "heddle-c++"), "-std=c++17", "-g", source, "-o", program, "-lgtest",
                     "-lgtest_main", "-pthread")
        at = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        others = [subprocess.Popen([*at, "sh", "-c", "while :; do :; done"]) for _ in range(8)]
        try:
            for words, time_s in ((("run", "--keep-going", program, "--gtest_filter=" + MANY_WAYS), 10),
                                  (("run", program, "--gtest_filter=" + POOL), 5), (("test", program), 30)):
                begin = time.monotonic()
                result = self.command(*at, OPTIONS.heddle, words[0], f"--time={time_s}s", *words[1:], status=BUG)
                took_s = time.monotonic() - begin
                result.require_says("Bug 1")
                result.require(took_s < time_s + 1, f"{took_s:.1f} s")
        finally:
            for one in others:
                one.kill()
                one.wait()

    def build(self):
        self.command("cmake", "-GNinja", "-S", "source", "-B", "built", f"-DHeddle_DIR={OPTIONS.build}")
        self.command("cmake", "--build", "built")

    def ctest(self, *options):
        """The outcome of each test that was run, by program and name."""
        junit = self.scratch.path("ctest.xml")
        harness.run(["ctest", "--test-dir", "built", "-j2", "--output-junit", junit, *options], self.scratch.folder,
                    timeout_s=300)
        result = {}
        for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
            skipped = case.find("skipped")
            name = case.get("name").removeprefix("heddle.")
            result[name] = case.get("status") if skipped is None else skipped.get("message")
        return result

    def suite(self, program, name, *options, only="*", status=BUG):
        """`heddle test` on a program of the project: what was printed, and each test of the report by its name."""
        reports = [f"--{kind}={name}.{kind}" for kind in ("json", "junit", "sarif")]
        result = self.scratch.heddle("test", "--time=60s", *reports, *options, f"./built/{program}",
                                     f"--gtest_filter={only}", timeout_s=300)
        result.require_status(status)
        tests = self.scratch.read_report(f"{name}.json", "suite")["tests"]
        self.check_junit(name, tests)
        self.check_sarif(name, tests)
        return result, {test["name"]: test for test in tests}

    def check_junit(self, name, tests):
        xsd = os.path.join(OPTIONS.source, "tests", "e2e", "junit.xsd")
        if shutil.which("xmllint") is not None:
            self.command("xmllint", "--noout", "--schema", xsd, f"{name}.junit")
        else:
            print("skipped: xmllint (libxml2-utils) is not installed")
        cases = xml.etree.ElementTree.parse(self.scratch.path(f"{name}.junit")).getroot().iter("testcase")
        self.assertEqual({case.get("name"): len(case.findall("failure")) for case in cases},
                         {test["name"]: self.failures(test) for test in tests})

    @staticmethod
    def failures(test):
        return len([bug for bug in test["report"]["bugs"] if not bug["known"]]) if test["result"] == "bug" else 0

    def check_sarif(self, name, tests):
        with open(self.scratch.path(f"{name}.sarif"), encoding="utf-8") as file:
            log = json.load(file)
        why = schema.Schemas(os.path.join(OPTIONS.source, "tests", "e2e")).why_invalid(log, "sarif.schema.json")
        self.assertIsNone(why)
        results = log["runs"][0]["results"]
        self.assertEqual(sorted(one["partialFingerprints"]["heddle/key"] for one in results),
                         sorted(bug["key"] for test in tests for bug in test["report"]["bugs"]))

    def require_expected(self, tests, column, **other):
        found = {name: test["report"]["bugs"][0]["kind"] if test["report"]["bugs"] else test["result"]
                 for name, test in tests.items()}
        self.assertEqual(found, {**{name: kinds[column] for name, kinds in EXPECTED.items()}, **other})

    def test_end_to_end(self):
        shutil.copytree(os.path.join(OPTIONS.source, "tests", "e2e", "mysvc_suite"), self.scratch.path("source"))
        os.mkdir(self.scratch.path(".heddle"))  # else it would be at the top of the working tree
        self.build()
        self.check_discovered()
        _, plain = self.suite("mysvc_tests", "plain")
        self.require_expected(plain, 0)
        _, tests = self.suite("mysvc_tests_instrumented", "instrumented", "--baseline=plain.json")
        self.require_expected(tests, 1)
        self.check_new(tests)
        self.check_one_missing_join(tests[MANY_WAYS]["report"]["bugs"])
        self.check_mended(plain)

    def check_discovered(self):
        found = self.ctest()
        expected = {f"{program}.{name}": CTEST_WORDS.get(kinds[column], "fail") for name, kinds in EXPECTED.items()
                    for column, program in enumerate(("mysvc_tests", "mysvc_tests_instrumented"))}
        self.assertEqual(found, expected)

    def check_new(self, tests):
        """Of the instrumented program, what the baseline of the plain one does not know."""
        known = {name for name, test in tests.items() if test["result"] == "known"}
        self.assertEqual(known, {name for name, kinds in EXPECTED.items()
                                 if kinds[0] == kinds[1] and kinds[0] not in CTEST_WORDS})

    def check_one_missing_join(self, bugs):
        """Whatever the thread uses of the memory that goes before it is joined: one cause."""
        missing = [(bug["kind"], bug["key"]) for bug in bugs if bug["pattern"] == "missing join"]
        races = {key for kind, key in missing if kind == "data race"}
        self.assertGreater(len([kind for kind, _ in missing if kind == "data race"]), 1, bugs)
        self.assertEqual(len(races), 1, bugs)

    def check_mended(self, before):
        (bug,) = before[POOL]["report"]["bugs"]
        key = bug["key"]
        self.scratch.heddle("add", bug["trace"]).require_status(OK)
        result, _ = self.suite("mysvc_tests", "again", only=POOL)
        result.require_says(f"regression {key}: fails again: ")
        self.mend()
        result, tests = self.suite("mysvc_tests", "mended", "--baseline=plain.json", only="-" + MANY_WAYS, status=OK)
        result.require_says(f"regression {key}: fixed: ")
        self.require_expected({**tests, MANY_WAYS: before[MANY_WAYS]}, 0, **{POOL: "ok"})
        self.assertEqual(tests[POOL]["report"]["regressions"][0]["result"], "fixed")
        self.assertEqual(self.ctest("-R", POOL),
                         {f"{program}.{POOL}": "run" for program in ("mysvc_tests", "mysvc_tests_instrumented")})

    def mend(self):
        path = self.scratch.path("source/pool.h")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertEqual(text.count(BUG_IN_POOL), 1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(BUG_IN_POOL, MENDED_POOL))
        self.build()


if __name__ == "__main__":
    harness.main()

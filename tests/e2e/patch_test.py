# Atomic instructions in programs that were not built by heddle-cc (--patch=yes): bugs between them are found, and the
# program computes what it computes natively. Without the option nothing changes.
import os
import shutil

import harness
from harness import BUG, OK

ISOLATIONS = ("snapshot", "fork", "exec")


class Patch(harness.TestCase):
    def build(self, source, *flags, name="program", compiler="g++"):
        path = os.path.join(harness.OPTIONS.source, "tests", "e2e", "patched", source)
        command = [compiler, "-std=c++20", "-g", *flags, path, "-pthread", "-o", name]
        harness.run(command, self.scratch.folder).require_status(OK)
        return self.scratch.path(name)

    def test_registers_flags_and_the_red_zone_are_kept(self):
        for optimization in ("-O0", "-O2"):
            program = self.build("registers.cpp", optimization, "-mcx16")
            harness.run([program], self.scratch.folder).require_status(OK)
            for carrier in ("fiber", "thread"):
                result, report = self.scratch.run_heddle("--patch=yes", "--search=random", "--max-schedules=30",
                                                         f"--carrier={carrier}", program)
                result.require_status(OK)
                result.require(report["atomics_found"] >= 8, "too few instructions were found")
                result.require(report["atomics_left"] == 0, "some were left")
                result.require(report["steps_max"] > report["atomics_found"], "they were no steps")

    def test_a_lock_in_a_header_of_a_library(self):
        program = self.build("lock_of_library.cpp", "-O2", "-ltbb", "-DBUG")
        _, report = self.scratch.run_heddle("--max-preemptions=1", program)
        self.assertEqual(report["bugs"], [], "seen without --patch")
        result, report = self.scratch.run_heddle("--patch=yes", program)
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["preemptions"], 1)
        program = self.build("lock_of_library.cpp", "-O2", "-ltbb")
        result, report = self.scratch.run_heddle("--patch=yes", "--max-preemptions=2", program)
        result.require_status(OK)

    def test_exceptions_come_through(self):
        for optimization in ("-O1", "-O2"):
            program = self.build("exceptions.cpp", optimization)
            harness.run([program], self.scratch.folder).require_status(OK)
            result, report = self.scratch.run_heddle("--patch=yes", "--max-preemptions=1", program)
            result.require_status(OK)
            result.require(report["atomics_found"] >= 3 and report["atomics_left"] == 0, "some were left")

    def test_a_crash_in_a_moved_instruction_has_its_place(self):
        program = self.build("faults_behind_update.cpp", "-O1")
        result, report = self.scratch.run_heddle("--patch=yes", program)
        result.require_status(BUG)
        result.require(report["atomics_left"] == 0, "the instruction was left")
        result.require_says("faults_behind_update.cpp:9")
        self.scratch.heddle("show", "--stacks").require_says("read_behind_update", "faults_behind_update.cpp:14")

    def test_computed_jumps_behind_an_instruction(self):
        for compiler in filter(shutil.which, ("g++", "clang++")):
            program = self.build("computed_goto.cpp", "-O2", compiler=compiler)
            result, report = self.scratch.run_heddle("--patch=yes", "--search=random", "--max-schedules=30", program)
            result.require_status(OK)
            self.assertEqual(report["atomics_found"], 1)

    def test_a_loop_that_waits_for_ever(self):
        result, report = self.scratch.run_heddle("--patch=yes", harness.program("corpus/plain_wait"))
        result.require_status(BUG)
        self.assertEqual([bug["kind"] for bug in report["bugs"]], ["livelock"])
        result.require_says("plain_wait.cpp:15")

    def test_a_library_that_is_loaded_by_dlopen(self):
        library = self.build("library.cpp", "-O2", "-shared", "-fPIC", name="library.so")
        program = self.build("loads_library.cpp", "-O1")
        result, report = self.scratch.run_heddle(program, library)
        result.require_status(OK)
        result, report = self.scratch.run_heddle("--patch=yes", program, library)
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["kind"], "assertion")

    def test_each_isolation_finds_the_bug(self):
        program = harness.program("corpus/atomic_queue")
        for isolation in ISOLATIONS:
            result, report = self.scratch.run_heddle("--patch=yes", f"--isolation={isolation}", program)
            result.require_status(BUG)
            result.require(report["bugs"][0]["preemptions"] == 1, f"{isolation}: another bug")
            self.scratch.heddle("replay", harness.trace_of(report, self.scratch)).require_says("Reproduced")

    def test_without_it_nothing_changes(self):
        program = harness.program("corpus/atomic_queue")
        reports = []
        for option in ([], ["--patch=no"]):
            result, report = self.scratch.run_heddle(*option, program)
            result.require_status(OK)
            result.require_says("atomics and memory accesses, yours and your libraries', ran uninterrupted",
                                "--patch=yes")
            self.assertIsNone(report["atomics_found"])
            reports.append(report)
        self.assertEqual(reports[0]["schedules"], reports[1]["schedules"])
        self.assertEqual(reports[0]["steps_max"], reports[1]["steps_max"])

    def test_no_search_that_needs_independent_steps(self):
        program = harness.program("corpus/atomic_queue")
        result = self.scratch.heddle("run", "--patch=yes", "--search=dpor", program)
        result.require_status(2)
        result.require_says("--search=dpor does not know which steps are independent with --patch=yes")
        _, report = self.scratch.run_heddle("--patch=yes", "--keep-going", "--max-schedules=300", program)
        self.assertNotIn("dpor", [part["name"] for part in report["searches"]])

    def test_variables_have_their_names_on_the_page(self):
        program = self.build("two_variables.cpp", "-O2")
        result, report = self.scratch.run_heddle("--patch=yes", program)
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", harness.trace_of(report, self.scratch))
        page.require_says("updates second: now 1", "updates first: now 7")
        self.assertNotIn("locks of its own", page.text)

    def test_weak_memory_needs_a_build(self):
        program = harness.program("corpus/atomic_queue")
        result = self.scratch.heddle("run", "--patch=yes", "--memory=rc11", program)
        result.require_status(2)
        result.require_says("not built by heddle-cc")

    def test_what_is_instrumented_is_left_alone(self):
        program = harness.program("corpus/treiber_2")
        counts = []
        for option in ("no", "yes"):
            _, report = self.scratch.run_heddle(f"--patch={option}", "--max-preemptions=1", "--keep-going", program)
            counts.append((report["schedules"], report["steps_max"]))
        self.assertEqual(*counts)
        self.assertEqual(report["atomics_found"], 0)

    def test_both_carriers_make_the_same_steps(self):
        program = harness.program("corpus/plain_spin_lock_fixed")
        logs = []
        for carrier in ("fiber", "thread"):
            log = self.scratch.path(carrier)
            result, _ = self.scratch.run_heddle("--patch=yes", "--search=bounded", "--max-preemptions=1", "-j1",
                                                f"--execution-log={log}", f"--carrier={carrier}", program)
            result.require_status(OK)
            with open(log, encoding="utf-8") as file:
                logs.append(file.read())
        self.assertGreater(len(logs[0].splitlines()), 5)
        self.assertEqual(*logs)


if __name__ == "__main__":
    harness.main()

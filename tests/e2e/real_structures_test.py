# Lock-free containers from the headers of real libraries, instrumented, every schedule up to a bound: they keep what
# they promise, and there is no false alarm. What is wrong with some is found each time; docs/FINDINGS.md lists it.
import os
import re

import harness
from harness import BUG, OK, OPTIONS

LEVELS = ("O1", "O2")


class RealStructures(harness.TestCase):
    def programs(self, name):
        paths = [harness.program(f"tests/real_programs/{name}_{level}") for level in LEVELS]
        if not all(os.path.exists(path) for path in paths):
            self.skipTest(f"{name} was not built: its library is not installed")
        return paths

    def require_bound(self, result, report, bound):
        result.require(report["preemption_bound_proved"] >= bound, f"bound {bound} was not proved")
        result.require("does not do the same" not in result.text, "it was said not to do the same each time")

    def check_clean(self, name, bound):
        """Nothing is found, not even a race, in any schedule with at most `bound` preemptions."""
        for program in self.programs(name):
            result, report = self.scratch.run_heddle(f"--max-preemptions={bound}", "--time=4m", "--", program,
                                                     timeout_s=270)
            result.require_status(OK)
            self.require_bound(result, report, bound)

    def check_races(self, name, bound, where):
        """It races at places in `where`; with these as scheduling points nothing else is found."""
        for program in self.programs(name):
            result, report = self.scratch.run_heddle(f"--max-preemptions={bound}", "--time=4m", "--keep-going", "--",
                                                     program, timeout_s=270)
            result.require_status(BUG)
            self.require_bound(result, report, bound)
            for bug in report["bugs"]:
                result.require(bug["kind"] == "data race" and re.search(where, bug["message"]) is not None,
                               f"another bug than those known: {bug['message']}")

    def test_boost_queue(self):
        self.check_races("boost_queue", 2, r"(tagged_ptr_ptrcompression|queue)\.hpp")

    def test_boost_stack(self):
        self.check_races("boost_stack", 2, r"(tagged_ptr_ptrcompression|stack)\.hpp")

    def test_boost_ring(self):
        self.check_clean("boost_ring", 3)

    def test_moodycamel_queue(self):
        self.check_clean("moodycamel_queue", 3)

    def test_moodycamel_blocking_queue(self):
        self.check_clean("moodycamel_blocking", 2)

    def test_moodycamel_reused_block(self):
        """A block is used again without being behind all reads of it; one stronger order repairs that."""
        for program in self.programs("moodycamel_reused"):
            for memory in ("sc", "rc11"):
                self.run_reused_block(BUG, memory, program)
        for level in LEVELS:
            program = self.repaired_reused_block(level)
            for memory in ("sc", "rc11"):
                self.run_reused_block(OK, memory, program)

    def run_reused_block(self, status, memory, program):
        result, report = self.scratch.run_heddle(f"--memory={memory}", "--search=dpor", "--time=4m", "--", program,
                                                 timeout_s=270)
        result.require_status(status)
        result.require(report["complete"], "not all schedules were run")
        for bug in report["bugs"]:
            self.assertEqual(bug["kind"], "data race", result.text)
            self.assertRegex(bug["message"], r"queue\.h:2529 while .* reads it at concurrentqueue\.h:2581")

    def repaired_reused_block(self, level):
        with open("/usr/include/concurrentqueue/concurrentqueue.h", encoding="utf-8") as header:
            text = header.read()
        weak, strong = (f"elementsCompletelyDequeued.fetch_add(1, std::memory_order_{order})"
                        for order in ("release", "acq_rel"))
        self.assertEqual(text.count(weak), 1)
        copy = self.scratch.path("include/concurrentqueue/concurrentqueue.h")
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, "w", encoding="utf-8") as header:
            header.write(text.replace(weak, strong))
        source = os.path.join(OPTIONS.source, "tests", "real_programs", "structures", "moodycamel_reused.cpp")
        program = self.scratch.path(f"repaired_{level}")
        harness.run([harness.program("heddle-c++"), "-std=c++17", f"-{level}", "-g", "-pthread",
                     "-I" + self.scratch.path("include"), source, "-o", program],
                    self.scratch.folder).require_status(OK)
        return program

    def test_moodycamel_ring(self):
        self.check_clean("moodycamel_ring", 2)

    def test_tbb_queue(self):
        self.check_clean("tbb_queue", 2)

    def test_tbb_bounded_queue(self):
        """Waits in libtbb.so, which is not instrumented: no false alarm comes of it."""
        self.check_clean("tbb_bounded_queue", 2)

    def test_libcds_queue(self):
        self.check_clean("cds_queue", 3)

    def test_libcds_dequeue_twice(self):
        """The second thread that takes something need not see the node that it comes to."""
        options = ["--races=report", "--fill=junk", "--max-preemptions=2"]
        for program in self.programs("cds_dequeue_twice"):
            result, report = self.scratch.run_heddle(*options, "--memory=rc11", "--", program,
                                                     timeout_s=270)
            result.require_status(BUG)
            self.assertEqual([bug["kind"] for bug in report["bugs"]], ["crash"], result.text)
            self.assertEqual(report["bugs"][0]["pattern"], "memory order", result.text)
            self.scratch.run_heddle(*options, "--", program, timeout_s=270)[0].require_status(OK)

    def test_libcds_stack(self):
        self.check_clean("cds_stack", 3)

    def test_libcds_list(self):
        self.check_races("cds_list", 2, r"hp\.h:96[56].*michael_list_base\.h:40")

    def test_libcds_list_not_empty(self):
        """A set of which all was erased says that it is not empty: some is only marked."""
        for program in self.programs("cds_list_empty"):
            result, report = self.scratch.run_heddle("--races=report", "--", program)
            result.require_status(BUG)
            result.require([bug["kind"] for bug in report["bugs"]] == ["assertion"], "other bugs than the one known")
            result.require(report["bugs"][0]["preemptions"] == 2, "at another bound")
            result.require_says("violated: empty, when as many were erased as inserted")


if __name__ == "__main__":
    harness.main()

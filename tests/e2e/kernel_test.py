# An operating system that runs as a process (kernel.c): it boots, works and shuts down under control.
import os

import harness
from harness import BUG, OK, OPTIONS

TICKS = ("--service=tick", "--service=idle")


class Kernel(harness.TestCase):
    def build(self):
        program = self.scratch.path("kernel")
        source = os.path.join(OPTIONS.source, "tests/e2e/kernel.c")
        harness.run(["gcc", "-g", "-O1", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        return program

    def find(self, kind, *words):
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle("--search=auto", "--carrier=" + carrier, "--max-schedules=1000",
                                                     *words)
            result.require_status(BUG)
            self.assertEqual(report["bugs"][0]["kind"], kind)
            self.scratch.heddle("replay", harness.trace_of(report, self.scratch)).require_status(BUG)
        return result

    def test_a_lost_update_of_its_tasks(self):
        self.find("exit", self.build(), "lost")

    # The tick wakes threads only while they sleep or a timer runs: that it lets nobody go on shows after many.
    def test_a_deadlock_of_its_tasks(self):
        result = self.find("deadlock", *TICKS, self.build(), "order")
        result.require_says("only tick")
        self.assertLess(result.text.count("needs a timeout"), 10)

    def test_what_is_right_is_silent(self):
        program = self.build()
        for work, schedules in (("fine", 1000), ("many", 200)):
            for services in ((), TICKS):
                result, report = self.scratch.run_heddle("--search=auto", f"--max-schedules={schedules}", *services,
                                                         program, work)
                result.require_status(OK)
                self.assertEqual((report["bugs"], report["stop_reason"]), ([], "schedules"))


if __name__ == "__main__":
    harness.main()

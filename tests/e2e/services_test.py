# Threads that only tick do not hide a deadlock of the others; what looks like one and lets others go on is none
# (services.c has both).
import os
import re

import harness
from harness import BUG, OK, OPTIONS

SERVICES = ["sleeps", "takes_a_mutex", "polls", "signals_nobody", "repeats_every_third_tick", "two_periods"]
LOOK_ALIKES = ["counts_to_ten_then_signals", "adds_up_times_then_signals", "signals_each_tick",
               "signals_every_third_tick", "polls_a_flag", "long_after_a_short_one"]


class Services(harness.TestCase):
    def build(self):
        program = self.scratch.path("services")
        source = os.path.join(OPTIONS.source, "tests", "e2e", "services.c")
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        return program

    def find_deadlocks(self, carrier):
        program = self.build()
        for case in SERVICES:
            with self.subTest(case=case):
                result, report = self.scratch.run_heddle("-j1", f"--carrier={carrier}", "--max-preemptions=1", program,
                                                         "deadlock", case)
                result.require_status(BUG)
                bug = report["bugs"][0]
                self.assertEqual(bug["kind"], "deadlock", result.text)
                self.assertIs(bug["replays"], True, result.text)
                self.assertLess(report["steps_max"], 200, "it was found late")
                self.assertEqual(bug["pattern"], "lock-order inversion")
                states = {thread["name"]: thread["state"] for thread in bug["threads"]}
                ticking = {name for name, state in states.items() if state == "ticks"}
                self.assertEqual(ticking, {"sleeps", "polls"} if case == "two_periods" else {case})
                self.assertEqual({states["main"], states["left_first"], states["right_first"]}, {"waits"})
                says = "sleeps and polls only tick" if case == "two_periods" else f"{case} only ticks"
                result.require_says(says)
                page = self.scratch.heddle("show", "--width=500", bug["trace"])
                page.require_says(says, "wakes again and again, and lets nobody go on")
                ticks = "they only tick" if case == "two_periods" else "it only ticks"
                page.require_says(f"left out: {ticks}.")
                chart = page.text[page.text.index("How it came to that"):]
                told = re.findall(rf"(?m)^ +[0-9]+ +{case} .*$", chart)  # the step at which a passing schedule differs
                self.assertLessEqual(len(told), 1, page.text)
                self.assertTrue(all(";" not in line for line in told), page.text)
                self.scratch.heddle("replay", f"--carrier={carrier}", bug["trace"]).require_status(BUG)

    def test_deadlocks_on_fibers(self):
        self.find_deadlocks("fiber")

    def test_deadlocks_on_threads(self):
        self.find_deadlocks("thread")

    def pass_look_alikes(self, carrier):
        program = self.build()
        for case in LOOK_ALIKES:
            with self.subTest(case=case):
                result, report = self.scratch.run_heddle("-j1", f"--carrier={carrier}", "--max-preemptions=1",
                                                         "--max-schedules=300", program, "wait", case)
                result.require_status(OK)
                self.assertEqual(report["bugs"], [], result.text)
                self.assertLess(report["steps_max"], 2000, result.text)

    def test_look_alikes_on_fibers(self):
        self.pass_look_alikes("fiber")

    def test_look_alikes_on_threads(self):
        self.pass_look_alikes("thread")

    # Its state never comes again: only who wrote it knows that this is for nobody.
    def test_declared(self):
        program = self.build()
        for carrier in ("fiber", "thread"):
            with self.subTest(carrier=carrier):
                options = ["-j1", f"--carrier={carrier}", "--max-preemptions=1", "--max-steps=20000"]
                result, report = self.scratch.run_heddle(*options, program, "deadlock", "counts")
                result.require_status(OK)
                self.assertEqual(report["steps_max"], 20000)
                result.require_says("--service=FUNCTION")
                result, report = self.scratch.run_heddle(*options, "--service=counts", program, "deadlock", "counts")
                result.require_status(BUG)
                bug = report["bugs"][0]
                self.assertEqual((bug["kind"], bug["replays"]), ("deadlock", True), result.text)
                result.require_says("counts only ticks")
                self.scratch.heddle("replay", bug["trace"]).require_status(BUG)

    # The same is seen where a schedule has gone on to the usual limit of steps, and is said not to be proved.
    def test_seen(self):
        program = self.build()
        for carrier in ("fiber", "thread"):
            with self.subTest(carrier=carrier):
                result, report = self.scratch.run_heddle("-j1", f"--carrier={carrier}", "--max-preemptions=1", program,
                                                         "deadlock", "counts")
                result.require_status(BUG)
                bug = report["bugs"][0]
                self.assertEqual((bug["kind"], bug["replays"]), ("deadlock", True), result.text)
                self.assertGreater(report["steps_max"], 65536, "that is not long")
                result.require_says("counts only ticks", "It is not proved")
                self.scratch.heddle("replay", bug["trace"]).require_status(BUG)

    def run_cut_off(self, carrier, case, *options):
        """Its first schedule goes on to the limit of steps."""
        return self.scratch.run_heddle("-j1", f"--carrier={carrier}", "--max-preemptions=0", "--max-steps=80000",
                                       *options, self.build(), "wait", case)

    # One that would wake others after the limit seems to wake nobody: that is said to be likely, and not proved.
    def test_useful_after_long(self):
        for carrier in ("fiber", "thread"):
            with self.subTest(carrier=carrier):
                result, report = self.run_cut_off(carrier, "counts_for_long")
                result.require_status(BUG)
                bug = report["bugs"][0]
                self.assertEqual(bug["kind"], "deadlock")
                likely = "counts_for_long only ticks: a deadlock is likely, and not proved"
                self.assertIn(likely, bug["message"])
                self.assertNotIn("timeouts", result.text, "no tick is needed")
                result.require_says(likely, "no thread has signalled it so far", "--service=none")
                page = self.scratch.heddle("show", "--width=500", bug["trace"])
                page.require_says(likely, "That nobody ever will is likely, and not proved")
                self.assertNotIn("stands still for ever", page.text)
                result, report = self.run_cut_off(carrier, "counts_for_long", "--service=none")
                self.assertEqual(report["bugs"], [], result.text)
                result.require_says("did not end within 80000 steps")
                self.assertNotIn("only ticked", result.text)
                self.assertNotIn("--service=none", result.text)

    # A thread that wakes others is let go on although it is declared, if it does so before long.
    def test_declared_and_useful(self):
        result, report = self.scratch.run_heddle("-j1", "--max-preemptions=1", "--max-schedules=300",
                                                 "--service=signals_each_tick", self.build(), "wait",
                                                 "signals_each_tick")
        result.require_status(OK)
        self.assertEqual(report["bugs"], [])

    def test_ticks_do_not_fill_the_search(self):
        """Which of several that tick is next would be a free choice each time: there are far too many to run."""
        program = self.build()
        for option in ((), ("--service=sleeps",)):
            with self.subTest(option=option):
                result, report = self.scratch.run_heddle("-j1", "--max-preemptions=0", *option, program, "tick")
                result.require_status(OK)
                result.require_says("every schedule without a preemption was run", "begins anew")
                self.assertLess(report["schedules"], 200, result.text)

    def test_declared_in_vain(self):
        result, report = self.scratch.run_heddle("-j1", "--max-schedules=20", "--service=nothing_such", self.build(),
                                                 "wait", "signals_each_tick")
        result.require_says("--service=nothing_such: no thread was seen to wait for a time there")


if __name__ == "__main__":
    harness.main()

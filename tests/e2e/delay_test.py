# The search that bounds delays: the same schedules on both carriers, its report, and the bugs that it finds.
import harness
from harness import BUG, OK, USAGE


class Delays(harness.TestCase):
    def logs_of(self, program, *options):
        """What each carrier has run, and the last report."""
        logs = []
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle("-j1", "--search=delay", f"--carrier={carrier}",
                                                     f"--execution-log={carrier}.log", *options, program)
            with open(self.scratch.path(f"{carrier}.log"), encoding="utf-8") as file:
                logs.append(file.read())
        return *logs, result, report

    def test_both_carriers_run_the_same_schedules(self):
        for name in ("philosophers_ordered", "end_of_pipe"):
            fibers, threads, result, report = self.logs_of(harness.program("corpus/" + name), "--max-delays=2")
            result.require_status(OK)
            self.assertEqual(fibers, threads)
            self.assertGreater(report["schedules"], 10)

    def test_what_was_proved_is_said_of_delays(self):
        result, report = self.scratch.run_heddle("--search=delay", "--max-delays=1",
                                                 harness.program("corpus/philosophers_ordered"))
        result.require_status(OK)
        result.require_says("every schedule with at most 1 delay was run", "--max-delays was reached",
                            "A remaining bug among what was checked needs at least 2 delays.")
        self.assertEqual((report["stop_reason"], report["delay_bound_proved"], report["preemption_bound_proved"]),
                         ("max_delays", 1, None))

    def test_bugs_are_found_and_come_again(self):
        for name in ("bank_account", "philosophers"):
            result, report = self.scratch.run_heddle("--search=delay", harness.program("corpus/" + name))
            result.require_status(BUG)
            self.assertTrue(report["bugs"][0]["replays"])

    def test_options_of_other_searches(self):
        program = harness.program("corpus/bank_account")
        for option, said in (("--max-preemptions=2", "--max-preemptions is for --search=bounded only"),
                             ("--reduction=none", "--reduction is for --search=bounded only"),
                             ("--require-bound=1", "--search=bounded")):
            result = self.scratch.heddle("run", "--search=delay", option, program)
            result.require_status(USAGE)
            result.require_says(said)
        result = self.scratch.heddle("run", "--max-delays=2", program)
        result.require_status(USAGE)
        result.require_says("--max-delays is for --search=delay only")


if __name__ == "__main__":
    harness.main()

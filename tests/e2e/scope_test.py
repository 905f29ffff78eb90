# Code that a search leaves out, by --no-preempt and the regions of heddle/heddle.h; and the names that programs give to
# their memory.
import harness
from harness import BUG, OK


class Scope(harness.TestCase):
    def program(self, name):
        return harness.program("corpus/" + name)

    def schedules(self, *options, program="bank_account_fixed"):
        result, report = self.scratch.run_heddle("-j1", *options, self.program(program))
        result.require_status(OK)
        result.require(report["complete"], "something is left to explore")
        return report["schedules"], result

    def test_places_are_not_preempted(self):
        for reduction in ("--reduction=none", "--reduction=states"):
            all_of_them, _ = self.schedules(reduction)
            for place in ("function:deposit", "file:bank_account*.c", "library:bank_account_fixed"):
                fewer, result = self.schedules(reduction, "--no-preempt=" + place)
                result.require(fewer < all_of_them, f"{place}: {fewer} schedules of {all_of_them}")
                result.require_says("Not checked: preemptions in " + place)
            both, result = self.schedules(reduction, "--no-preempt=function:deposit", "--no-preempt=file:no_such.c")
            result.require_says("function:deposit, file:no_such.c", "file:no_such.c matched no place")
            result.require(both < all_of_them, "of two places one was forgotten")

    def test_like_repeats_it(self):
        result, report = self.scratch.run_heddle("--no-preempt=function:no_such", self.program("bank_account"))
        result.require_status(BUG)
        again, _ = self.scratch.run_heddle("--like=" + harness.trace_of(report, self.scratch))
        again.require_says("Not checked: preemptions in function:no_such")

    def test_regions_hold_for_every_search_that_counts_preemptions(self):
        program = "audited_account_locked"
        for search in ("bounded", "random"):
            result, _ = self.scratch.run_heddle("--search=" + search, "--max-schedules=300", self.program(program))
            result.require_status(OK)
        self.schedules("--search=dpor", program=program)

    def test_names_are_on_the_page(self):
        result, report = self.scratch.run_heddle(self.program("audited_account"))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", harness.trace_of(report, self.scratch))
        page.require_says("lock of the audit log")
        page.require("Call stacks" not in page.text, "stacks that nobody asked for")
        page = self.scratch.heddle("show", "--full", "--stacks", harness.trace_of(report, self.scratch))
        page.require_says("Call stacks", "customer 1: locks lock of the audit log\n"
                          "      write_line (audited_account.h:18)\n      take (audited_account.c:")


if __name__ == "__main__":
    harness.main()

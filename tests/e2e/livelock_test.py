# Programs that go round for ever: proved where a state comes again, told apart from threads that never yield.
import re

import corpus
import harness
from harness import BUG, NO_VERDICT, OK
from isolation_test import source_of


# Two threads that let each other go first, and never wait: either goes round for as long as the other one stands.
LETS_THE_OTHER_FIRST = """#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int wants[2];
static void* enter(void* which) {
  const int self = which != NULL, other = !self;
  wants[self] = 1;
  while (wants[other]) {
    wants[self] = 0;
    wants[self] = 1;
  }
  wants[self] = 0;
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, enter, i != 0 ? &wants : NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""


class Livelock(harness.TestCase):
    def find(self, name, *options):
        head = corpus.Head(source_of(name))
        bound = head.bound if head.bound is not None else 6
        program = harness.program(f"corpus/{name}")
        result, report = self.scratch.run_heddle(f"--max-preemptions={bound}", *head.options, *options, program)
        result.require_status(BUG)
        return head, result, report

    def require_proved(self, name, most_steps):
        head, result, report = self.find(name)
        bug = report["bugs"][0]
        result.require(bug["kind"] == head.kind, f"expected a {head.kind}, got a {bug['kind']}")
        if head.bound is not None:
            result.require(bug["preemptions"] == head.bound, f"expected {head.bound}, got {bug['preemptions']}")
        result.require(bug["replays"] is True, "it was not reproduced in a fresh process")
        result.require(report["steps_max"] <= most_steps, "it was found late")
        result.require_says("the program goes round for ever: after ")
        corpus.check_replay(self.scratch, report)
        if head.bound:
            corpus.check_clean_below(self.scratch, head, "fiber")
        return self.scratch.heddle("show", "--full", harness.trace_of(report, self.scratch)).text

    def test_all_take_part(self):
        page = self.require_proved("after_you", 60)
        self.assertIn("every thread that could go on did so in between", page)
        # Which round is seen depends on what is left on the stacks: one of nine steps, in which one thread looks twice.
        first, last = map(int, re.search(r"So steps (\d+) to (\d+) can follow each other for ever", page).groups())
        self.assertEqual(last - first, 8)

    def test_small_and_large_stacks(self):
        """Their frames and their thread storage do not lie side by side."""
        self.require_proved("goes_round_on_small_stack", 20)
        self.require_proved("goes_round_on_large_stack", 20)

    def test_replayed_elsewhere_it_says_what_is_lacking(self):
        """Stacks of the default size are known on threads, too."""
        for name, status in (("after_you", BUG), ("polls_without_giving_way", NO_VERDICT),
                             ("goes_round_on_small_stack", NO_VERDICT)):
            _, _, report = self.find(name)
            replay = self.scratch.heddle("replay", "--carrier=thread", harness.trace_of(report, self.scratch))
            replay.require_status(status)
            if status == NO_VERDICT:
                replay.require_says("steps came as recorded, and then the program went on", "--carrier=fiber")

    def test_a_round_that_takes_preemptions_fits_a_bound(self):
        """It takes three, which count once: then once more at most, as a part of a stack may first have to be used."""
        self.require_proved("lockstep", 60)

    def test_without_optimization(self):
        """Frames have slots then that nobody has written to; the fresh process finds in them what the search did."""
        self.require_proved("back_off_unoptimized", 60)

    def test_checkpoints_change_nothing(self):
        """Where they are considered is a matter of time: nothing of that is left on the stacks."""
        for name in ("back_off_unoptimized", "after_you", "lockstep"):
            log, logs = self.scratch.path("log"), []
            for checkpoints in ("never", "auto", "always"):
                self.find(name, f"--checkpoints={checkpoints}", "-j1", f"--execution-log={log}")
                with open(log, encoding="utf-8") as file:
                    logs.append(file.readlines())
            self.assertIn("livelock", logs[0][-1])
            self.assertTrue(logs[0] == logs[1] == logs[2], [len(lines) for lines in logs])

    def test_who_never_yields_is_named(self):
        page = self.require_proved("polls_without_giving_way", 6000)
        self.assertIn("Who goes round never yields", page)
        self.assertIn("Set could have gone on meanwhile", page)

    def test_among_many_objects(self):
        """Looks that cost much are few, but not none."""
        self.require_proved("polls_among_many", 100_000)

    def test_instrumented_code_is_proved_too(self):
        """What the race detector counts up is not on the program's stacks. The place is the user's own."""
        for name, place in (("counts_in_and_out", "counts_in_and_out.cpp:1"),
                            ("polls_an_empty_queue", "polling_pool.h:")):
            for arguments in ((), ("--races=ignore",)):
                _, result, report = self.find(name, *arguments)
                result.require_says("goes round for ever", place)
                result.require(report["bugs"][0]["kind"] == "good samaritan violation", "another kind of bug")
                result.require(report["bugs"][0]["replays"] is True, "it was not reproduced in a fresh process")

    def test_elsewhere_it_is_only_possible(self):
        """A process of its own knows no pages; the step limit ends it."""
        options = ("--isolation=fork", "--max-steps=3000")
        for name, kind in (("polls_without_giving_way", "good samaritan violation"),
                           ("counts_in_and_out", "good samaritan violation")):
            _, result, report = self.find(name, *options)
            result.require(report["bugs"][0]["kind"] == kind, "another kind of bug")
            result.require_says("did not end within 3000 steps (possibly it never would)")

    def test_what_is_only_possible_is_a_warning(self):
        """All schedules that come to the step limit are one; what else was proved counts."""
        options = ("--isolation=fork", "--max-steps=3000", "--max-schedules=50")
        result, report = self.scratch.run_heddle(*options, harness.program("corpus/after_you"))
        result.require_status(OK)
        result.require_says("warning: the program did not end within 3000 steps in", "after_you.c:")
        warnings = [note for note in report["notes"] if note.startswith("warning: ")]
        result.require(len(warnings) == 1 and not report["bugs"], f"more than one warning: {warnings}")
        result.require_says("Not checked: what comes after 3,000 steps.")
        program = harness.program("corpus/after_you")
        for bound, status in ((0, OK), (1, NO_VERDICT)):
            result, _ = self.scratch.run_heddle(*options, f"--require-bound={bound}", program)
            result.require_status(status)

    def warnings(self, result, report):
        result.require_status(OK)
        return [note for note in report["notes"] if note.startswith("warning: ")]

    def test_who_never_yields_is_a_warning(self):
        """Once for each loop, with its place; and the search goes on, however executions are run."""
        for options in ((), ("--carrier=thread",), ("--isolation=fork",), ("--isolation=exec",), ("--search=dpor",),
                        ("--search=delay",), ("-j2",)):
            for name, place in (("polls_without_giving_way", "polls_without_giving_way.c:2"),
                                ("spins_on_try_lock", "spins_on_try_lock.cpp:1")):
                result, report = self.scratch.run_heddle("--max-schedules=200", "--time=100s", *options,
                                                         harness.program(f"corpus/{name}"))
                warnings = self.warnings(result, report)
                result.require(len(warnings) == 1 and place in warnings[0] and "never yields" in warnings[0],
                               f"{name} {options}: {warnings}")
                result.require(report["steps_max"] < 500, "executions still go round for long")

    def test_a_loop_on_one_line_of_the_users(self):
        """The mutex is locked in a header of the C++ library."""
        result, report = self.scratch.run_heddle("--max-preemptions=1", harness.program("corpus/polls_an_empty_queue"))
        warnings = self.warnings(result, report)
        result.require(len(warnings) == 1 and "polling_pool.h:" in warnings[0], f"{warnings}")

    def test_the_bug_behind_a_loop_is_found_and_replayed(self):
        program = harness.program("corpus/polls_then_reads")
        for options in ((), ("--carrier=thread",), ("--isolation=exec",), ("--search=dpor",), ("--search=random",)):
            result, report = self.scratch.run_heddle("--time=100s", *options, program)
            result.require_status(BUG)
            result.require(report["bugs"][0]["kind"] == "assertion", "another kind of bug")
            result.require(report["bugs"][0]["replays"] is True, "it was not reproduced in a fresh process")
            corpus.check_replay(self.scratch, report)

    def test_loops_that_yield_in_vain_are_a_livelock(self):
        self.require_proved("polls_for_each_other", 5000)

    def test_a_search_with_such_loops_goes_on(self):
        """What counts as yielding is kept."""
        program = harness.program("corpus/bakery_without_choosing")
        _, first = self.scratch.run_heddle("--save-every=0.001s", "--max-schedules=20", "--max-preemptions=1", program)
        result, report = self.scratch.run_heddle("--resume", "--max-preemptions=1", program)
        result.require_status(OK)
        result.require(report["schedules_before"] == first["schedules_in_all"] == 20, "it began anew")
        _, whole = self.scratch.run_heddle("--max-preemptions=1", program)
        # Which executions get stops behind releases depends on how many plans were out.
        counts = [one["schedules"] - one["schedules_stopped"] for one in (report, whole)]
        result.require(counts[0] == counts[1], f"it was another search: {counts}")

    def test_the_limit_rises_while_steps_are_cheap(self):
        program = harness.program("corpus/counts_for_long")
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle(f"--carrier={carrier}", "--max-preemptions=0", program)
            result.require_status(OK)
            result.require(report["steps_max"] > 240_000 and not report["bugs"], "it was cut off")
        result, report = self.scratch.run_heddle("--max-steps=200000", "--max-preemptions=0", program)
        result.require_status(NO_VERDICT)
        result.require(report["steps_max"] == 200_000, "the user's own limit was raised")

    def test_a_limit_that_was_raised_in_vain_leaves_nothing(self):
        """The execution is run again up to the old limit, and nothing that lies behind that is learned."""
        result, report = self.scratch.run_heddle("--max-preemptions=0", harness.program("corpus/counts_for_ever"))
        result.require_status(NO_VERDICT)
        result.require(report["steps_max"] == 200_000, f"an execution has {report['steps_max']} steps")

    def test_what_never_ends_is_cut_off_early(self):
        """So a bug within the first steps is found among few schedules, and what was cut off is part of no claim."""
        for name in ("serves_for_ever", "creates_for_ever"):
            head = corpus.Head(source_of(name))
            for options in ((f"--max-preemptions={head.bound}",), ("--search=dpor",)):
                result, report = self.scratch.run_heddle("--time=100s", *options, harness.program(f"corpus/{name}"))
                result.require_status(BUG)
                bug = report["bugs"][0]
                result.require(bug["kind"] == head.kind and bug["replays"] is True, f"another bug: {bug}")
                result.require(report["schedules"] <= 2000, f"it took {report['schedules']} schedules")
                result.require(report["steps_max"] <= 128, f"an execution has {report['steps_max']} steps")
                result.require_says(*head.says)
                result.require("Not checked: what comes after 128 steps" in " ".join(report["assumptions"]), "no limit")
                corpus.check_replay(self.scratch, report)
            fixed = corpus.Head(source_of(f"{name}_fixed"))
            for carrier in ("fiber", "thread"):
                corpus.check_no_verdict(self.scratch, fixed, carrier)

    def test_a_low_limit_grows_where_nothing_is_left_to_run(self):
        result, report = self.scratch.run_heddle("--max-preemptions=0", harness.program("corpus/serves_for_ever_fixed"))
        result.require_status(NO_VERDICT)
        result.require(report["steps_max"] == 200_000, f"an execution has {report['steps_max']} steps")
        texts = [f"they are cut off after {steps} steps" for steps in (128, 512, 2048, 8192, 32768, 200000)]
        result.require_says(*texts, "no schedule ended within 200000 steps")

    def test_a_limit_of_the_user_stays(self):
        program = harness.program("corpus/serves_for_ever_fixed")
        for options in (("--max-steps=3000",), ("--samaritan=bug",)):
            result, _ = self.scratch.run_heddle("--max-schedules=10", *options, program)
            result.require_status(NO_VERDICT)
            result.require("are cut off after" not in result.text, "it fell")

    def test_the_first_rounds_of_a_wait_are_no_loop(self):
        program = harness.program("corpus/reads_after_many_steps")
        for times in range(4086, 4098):
            result, report = self.scratch.run_heddle("--samaritan=bug", "--max-preemptions=0", program, str(times))
            result.require(not self.warnings(result, report), "a warning")

    def test_twins_are_silent(self):
        for name in ("after_you_fixed", "lockstep_fixed", "polls_and_gives_way", "back_off_unoptimized_fixed"):
            head = corpus.Head(source_of(name))
            for carrier in ("fiber", "thread"):
                corpus.check_clean(self.scratch, head, carrier)

    def test_lock_algorithms_of_libraries_are_no_bug(self):
        """std::scoped_lock backs off and tries again: a proved loop is told of as what it is, and the search ends."""
        program = harness.program("corpus/two_locks_fixed")
        result, report = self.scratch.run_heddle(program)
        result.require_status(OK)
        result.require_says("std::scoped_lock with several mutexes, back off from each other for ever")
        result.require(report["complete"], "not every schedule was run")
        self.scratch.run_heddle("--search=dpor", program)[0].require_status(OK)

    def test_random_search_finds_it_too(self):
        program = harness.program("corpus/lockstep")
        result, report = self.scratch.run_heddle("--search=random", "--max-schedules=20000", program)
        result.require_status(BUG)
        result.require_says("goes round for ever")
        result.require(report["bugs"][0]["kind"] == "livelock", "another kind of bug")

    def test_the_search_goes_on_behind_it(self):
        result, report = self.scratch.run_heddle("--keep-going", "--max-schedules=3000",
                                                 harness.program("corpus/after_you"))
        result.require_status(BUG)
        result.require(report["schedules"] == 3000 and report["steps_max"] < 200, "it did not, or went round for long")

    def test_one_loop_is_one_bug(self):
        """Also for a search that could end it in the last of its steps in as many ways."""
        source, program = self.scratch.path("enter.c"), self.scratch.path("enter")
        with open(source, "w", encoding="utf-8") as file:
            file.write(LETS_THE_OTHER_FIRST)
        harness.run([harness.program("heddle-cc"), "-g", "-O1", "-pthread", source, "-o", program],
                    self.scratch.folder).require_status(OK)
        result, report = self.scratch.run_heddle("-j1", "--search=dpor", "--samaritan=bug", "--keep-going",
                                                 "--time=60s", program)
        result.require_status(BUG)
        bugs = [(bug["kind"], bug["site"]) for bug in report["bugs"]]
        kinds = [kind for kind, _ in bugs]
        result.require(kinds == ["good samaritan violation"], f"one loop by several names: {bugs}")
        result.require(report["stop_reason"] != "time" and not report["complete"], "it went on, or promises something")


if __name__ == "__main__":
    harness.main()

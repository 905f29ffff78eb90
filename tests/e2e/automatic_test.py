# The default search, as somebody runs it who names none: bugs of every shape, correct twins, one sequence for one seed,
# and what is said of its parts.
import harness
from harness import BUG, OK, USAGE, program

# Within so many schedules in the median of nine seeds. The single searches need up to a hundred times as many for some.
BUGS = {"corpus/bank_account": 40, "corpus/reorder_4": 100, "corpus/c11_lost_wakeup": 40,
        "corpus/classes_philosophers": 60}

# Two sections of one lock belong together by a region only.
REGIONS = """
#include <assert.h>
#include <heddle/heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int half;
static void add(int more) {
  pthread_mutex_lock(&lock);
  half += more;
  assert(half == (more > 0));
  pthread_mutex_unlock(&lock);
}
static void *both(void *unused) {
  heddle_atomic_begin();
  add(1);
  add(-1);
  heddle_atomic_end();
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, both, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""


class Automatic(harness.TestCase):

    def found_at(self, path, seed):
        result, report = self.scratch.run_heddle("--search=auto", "-j1", f"--seed={seed}", "--max-schedules=2000",
                                                 "--races=report", program(path))
        result.require_status(BUG)
        result.require(report["bugs"][0]["replays"], "the bug does not come again")
        return report["bugs"][0]["schedule"]

    def test_finds_bugs_of_each_shape_soon(self):
        for path, most in BUGS.items():
            schedules = sorted(self.found_at(path, seed) for seed in range(1, 10))
            self.assertLessEqual(schedules[4], most, f"{path}: {schedules}")

    def test_is_the_default_and_proves(self):
        result = harness.run([harness.OPTIONS.heddle, "run", "-j1", "--json=r.json",
                              program("corpus/bank_account_fixed")], self.scratch.folder)
        result.require_status(OK)
        result.require_says("Proved: every schedule was run")
        report = self.scratch.read_report("r.json")
        result.require(report["complete"], "it proved less than all")
        names = [part["name"] for part in report["searches"]]
        result.require({"bounded", "dpor", "random", "pos"} <= set(names), f"its parts: {names}")
        result.require(sum(part["schedules"] for part in report["searches"]) == report["schedules"],
                       "its parts have not run all schedules")

    def test_one_seed_is_one_sequence(self):
        def log(name, seed):
            self.scratch.run_heddle("--search=auto", "-j1", f"--seed={seed}", "--max-schedules=400", "--keep-going",
                                    f"--execution-log={name}", program("corpus/reorder_4"))
            with open(self.scratch.path(name), encoding="utf-8") as file:
                return file.read()
        first = log("first.log", 3)
        self.assertEqual(first, log("again.log", 3))
        self.assertNotEqual(first, log("other.log", 4))

    def test_says_which_part_found_it(self):
        result, report = self.scratch.run_heddle("--search=auto", "-j1", program("corpus/bank_account"))
        result.require_status(BUG)
        part = report["bugs"][0]["found_by"]
        result.require(part in [one["name"] for one in report["searches"]], f"found by {part}")
        result.require_says(f"({part})")

    def test_an_option_of_one_search_names_it(self):
        for option, search in (("--max-preemptions=1", "at most 1 preemption"), ("--max-delays=1", "at most 1 delay"),
                               ("--no-preempt=function:nobody", "every schedule")):
            result = harness.run([harness.OPTIONS.heddle, "run", "-j1", option, program("corpus/bank_account_fixed")],
                                 self.scratch.folder)
            result.require_status(OK)
            result.require_says(search)

    def test_each_walk_finds_a_bug_and_counts_honestly(self):
        for search in ("random", "pos", "pct", "surw", "rff", "random-delays"):
            result, report = self.scratch.run_heddle(f"--search={search}", "-j1", "--races=report",
                                                     "--max-schedules=3000", program("corpus/race_lost_update"))
            result.require_status(BUG)
            result.require(report["schedules_given_up"] > 0, "it began anew with the places that race")
            result.require(report["schedules_in_all"] > report["schedules_given_up"], "those before count, too")
            result.require_says(f"{report['schedules_given_up']} of them before the search began anew")


    def test_the_schedule_of_a_walk_is_made_smaller(self):
        """To as many preemptions as the bug needs, for most seeds; and it is the smaller one that is replayed."""
        for name, search in (("bank_account", "random"), ("lost_wakeup", "pos"), ("abba_deadlock", "rff"),
                             ("two_stage_4", "random")):
            found, first, needs = [], [], 1
            for seed in range(1, 11):
                result, report = self.scratch.run_heddle(f"--search={search}", f"--seed={seed}", "-j1",
                                                         program(f"corpus/{name}"))
                result.require_status(BUG)
                bug = report["bugs"][0]
                result.require(bug["replays"] is True, "it does not come again")
                result.require(bug["preemptions"] <= bug["preemptions_at_first"], "it has grown")
                found.append(bug["preemptions"])
                first.append(bug["preemptions_at_first"])
            self.assertGreaterEqual(sum(count <= needs for count in found), 9, f"{name}: {found}, at first {first}")

    def test_minimize_no(self):
        for seed in range(1, 6):
            _, report = self.scratch.run_heddle("--search=random", f"--seed={seed}", "-j1", "--minimize=no",
                                                program("corpus/bank_account"))
            bug = report["bugs"][0]
            self.assertEqual(bug["preemptions"], bug["preemptions_at_first"])
        for wrong in ("--minimize=soon", "--minimize=0", "--minimize=-1s"):
            self.scratch.heddle("run", wrong, program("corpus/bank_account")).require_status(USAGE)

    def test_all_bugs_are_made_smaller_under_keep_going(self):
        result, report = self.scratch.run_heddle("--search=random", "--keep-going", "--max-schedules=300", "-j1",
                                                 program("corpus/bank_account"))
        result.require_status(BUG)
        keys = [(bug["kind"], bug["message"]) for bug in report["bugs"]]
        self.assertEqual(len(keys), len(set(keys)), "one is told of twice")

    def test_no_part_preempts_in_a_region(self):
        source = self.scratch.path("regions.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(REGIONS)
        built = harness.run(["gcc", "-g", "-pthread", f"-I{harness.OPTIONS.source}/include", source, "-o",
                             self.scratch.path("regions")], self.scratch.folder)
        built.require_status(OK)
        for search in ("auto", "random", "pos", "pct", "surw", "rff", "random-delays", "delay"):
            result, _ = self.scratch.run_heddle(f"--search={search}", "-j1", "--max-schedules=2000",
                                                self.scratch.path("regions"))
            result.require_status(OK)

    def test_what_pct_would_have_missed(self):
        result, report = self.scratch.run_heddle("--search=pct", "--max-schedules=20000",
                                                 program("corpus/classes_sections_3x3"))
        result.require_says("Estimate: pct would have missed a bug of depth 1 with a chance of at most ")
        missed = report["chances_of_missing"]
        self.assertEqual([one["depth"] for one in missed], list(range(1, len(missed) + 1)))
        self.assertLess(missed[0]["at_most"], 0.05)
        # Its theorem says nothing of deadlines.
        result, report = self.scratch.run_heddle("--search=pct", "--max-schedules=2000",
                                                 program("corpus/recursive_and_timed"))
        self.assertEqual(report["chances_of_missing"], [])


if __name__ == "__main__":
    harness.main()

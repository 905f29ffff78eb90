# Isolation: the same plan gives the same execution on both carriers under every isolation, effects that an isolation
# can't undo are noticed, and a search goes on after executions that end their process.
#
# HEDDLE_ISOLATIONS=fork,exec restricts the tests to these; default: all that `heddle run --help` names.
import glob
import itertools
import os
import re
from unittest import mock

import corpus
import harness
from harness import BUG, NO_VERDICT, OK

CARRIERS = ("fiber", "thread")
SCHEDULES = 40  # of each program in each configuration; exec isolation starts a process for each
# A cross-section that is quick: each kind of object, of end and of memory that must be undone.
QUICK = """bank_account philosophers lite_event_fixed missed_broadcast writer_preferred barrier api_keys api_threads
    api_semaphore watchdog exit_handler_race exit_status exception_avoided static_local call_once_gives_up
    broken_promise thread_local_order pool_forgotten_result atomic_queue map_during unmap_before large_allocations
    own_stacks large_stacks small_stack large_stack_overflows library_finishes dlopen_during fresh_memory fresh_threads
    write_barrier recovers_from_null four_ends
    own_signal_handlers deep_main_stack writable_code prints_here_and_there exit_in_thread classes_heap""".split()
# What differs between isolations, and must.
NOT_THE_SAME = {
    "surroundings": "it looks at its working directory, and exec gives it one of its own",
    "time_stamps": "it reads the time stamp counter",
    "start_in_a_thread": "threads from before the start are not in a forked process under the thread carrier",
    "start_in_a_thread_fixed": "the same",
    "damages_a_record": "how many executions are lost by that depends on how many one process runs",
    "reads_dead_stack": "what Heddle's functions leave on stacks depends on the carrier; a test of its own runs it",
}
# Where --isolation=auto begins.
FIRST_ISOLATION = {"fiber": "snapshot", "thread": "fork"}
ORDER = ("snapshot", "fork", "exec")
# Several programs of one group in one CTest, so that two cores have something to do.
GROUPS = 3
SUMMARY = ("verdict", "stop_reason", "complete", "preemption_bound_proved", "lost_coverage", "schedules", "steps_max",
           "tasks_max")


def source_of(name):
    found = [path for path in glob.glob(os.path.join(harness.OPTIONS.source, "corpus", "*", name + ".c*"))]
    if len(found) != 1:
        raise harness.Failure(f"no corpus program is named {name}")
    return found[0]


def has_head(source):
    """Not libraries of programs, and not what a test of its own runs."""
    with open(source, encoding="utf-8") as file:
        return "\n// heddle: " in file.read()


def programs_in(folder):
    """The heads of all programs of a corpus folder ("*": of all) that were built."""
    sources = sorted(glob.glob(os.path.join(harness.OPTIONS.source, "corpus", folder, "*.c*")))
    heads = [corpus.Head(source) for source in sources if has_head(source)]
    return [head for head in heads if os.path.exists(harness.program(f"corpus/{head.name}"))]


POLYMORPHIC = """#include <memory>
#include <mutex>
#include <thread>
struct Base { virtual ~Base() = default; virtual int value() = 0; };
struct One : Base { int value() override { return 1; } };
int main() {
  std::mutex mutex;
  int sum = 0;
  const auto add = [&] {
    const std::unique_ptr<Base> one = std::make_unique<One>();
    const std::lock_guard<std::mutex> guard(mutex);
    sum += one->value();
  };
  std::thread first(add), second(add);
  first.join();
  second.join();
  return sum != 2;
}
"""

LOCK_FILE = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void* add(void* unused) {
#ifdef COPIES
  close(dup(STDIN_FILENO));
#endif
  pthread_mutex_lock(&mutex);
  ++count;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  if (open("locked", O_CREAT | O_EXCL | O_RDWR, 0600) < 0) return 2;
  pthread_create(&thread, NULL, add, NULL);
#ifdef BUG
  pthread_mutex_lock(&mutex);
  assert(count == 0);
  pthread_mutex_unlock(&mutex);
#endif
  pthread_join(thread, NULL);
  return 0;
}
"""


class Isolation(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.known = {}  # options: are they there?
        named = re.search(r"--isolation=(\S+)", self.scratch.heddle("run", "--help").text).group(1).split("|")
        wanted = os.environ.get("HEDDLE_ISOLATIONS")
        self.isolations = [name for name in (wanted.split(",") if wanted else named) if name != "auto"]

    def offers(self, option):
        """Is there such an option? It need not stand in --help."""
        if option not in self.known:
            word = {"-j": "-j1", "--execution-log": "--execution-log=log",
                    "--checkpoints": "--checkpoints=auto"}.get(option, option)
            self.known[option] = "not expected" not in self.scratch.heddle("run", word, "/nonexistent/program").text
        return self.known[option]

    def need_snapshots(self):
        if "snapshot" not in self.isolations:
            self.skipTest("needs snapshot isolation")

    def configurations(self):
        """The options of every way to run a plan; the first is what the others are compared with."""
        for isolation in self.isolations:
            if isolation != "snapshot":
                yield from ([f"--isolation={isolation}", f"--carrier={carrier}"] for carrier in CARRIERS)
                continue
            # Snapshots as users get them: what they can't undo is left to the other isolations.
            choices = [[f"--checkpoints={choice}"] for choice in ("never", "always")]
            yield from (["--isolation=auto", *choice] for choice in (choices if self.offers("--checkpoints") else [[]]))

    def explore(self, head, options):
        """Runs a program's search; returns the result, the report and a line for each execution (None: not offered)."""
        log = self.scratch.path("executions.log")
        more = [option for option in head.options if not option.startswith(("--isolation", "--max-schedules"))]
        if self.offers("-j"):
            more.append("-j1")
        if self.offers("--execution-log"):
            more.append(f"--execution-log={log}")
        result, report = self.scratch.run_heddle(*more, "--keep-going", "--time=10m",
                                                 f"--max-schedules={SCHEDULES}", *options, "--",
                                                 harness.program(f"corpus/{head.name}"), *head.arguments)
        if report is not None:
            gone_on, schedules = report["resumed_from_checkpoints"], report["schedules"]
            result.require(report["resumed_from_bookmarks"] <= gone_on <= schedules,
                           f"{gone_on} of {schedules} schedules went on from checkpoints")
        if not self.offers("--execution-log"):
            return result, report, None
        with open(log, encoding="utf-8") as file:
            lines = file.read().splitlines()
        os.remove(log)
        return result, report, lines

    def traces_of(self, report):
        """Every bug's trace: its steps, and its tasks and objects with their addresses."""
        kept = ("step", "object", "pending", "end")
        result = {}
        for bug in report["bugs"]:
            path = bug["trace"] if os.path.isabs(bug["trace"]) else self.scratch.path(bug["trace"])
            result[(bug["id"], bug["kind"], bug["message"])] = [
                {key: value for key, value in line.items() if key != "stack"}
                for line in harness.read_trace(path) if any(key in line for key in kept)]
        return result

    def require_same_log(self, result, options, expected, seen):
        if expected == seen:
            return
        result.require(sorted(expected) != sorted(seen), f"{options}: the same executions in another order")
        for one, other in zip(expected, seen):
            result.require(one == other, f"an execution differs:\n  first {one}\n  with  {options}: {other}")
        result.require(False, f"{options}: {len(seen)} executions instead of {len(expected)}")

    def require_same_traces(self, result, options, expected, seen):
        result.require(expected.keys() == seen.keys(), f"{options}: other bugs: {list(seen)}, first {list(expected)}")
        for bug, steps in expected.items():
            for number, (one, other) in enumerate(zip(steps, seen[bug])):
                result.require(one == other, f"bug {bug}, line {number}:\n  first {one}\n  with  {options}: {other}")
            result.require(len(steps) == len(seen[bug]), f"{options}: bug {bug}: one trace is longer")

    def compare(self, head):
        first, first_log = None, None
        for options in self.configurations():
            result, report, log = self.explore(head, options)
            if report is None:
                result.require_status(NO_VERDICT)
                self.assertIsNone(first, f"{head.name} with {options}: no report, but there was one before")
                continue
            summary = {field: report[field] for field in SUMMARY}
            seen = (result.status, summary, self.traces_of(report))
            if first is None:
                first, first_log = seen, log
                continue
            result.require(first[:2] == seen[:2], f"{options} gives {seen[:2]}, the first gave {first[:2]}")
            self.require_same_traces(result, options, first[2], seen[2])
            if log is not None:
                self.require_same_log(result, options, first_log, log)

    def compare_all(self, heads):
        """Tells every program that differs, not just the first."""
        failures = []
        for head in heads:
            try:
                self.compare(head)
            except harness.Failure as failure:
                failures.append(f"{head.name}: {failure}")
        if failures:
            raise harness.Failure(f"{len(failures)} of {len(heads)} programs differ\n" + "\n".join(failures))

    def compare_group(self, number):
        names = [name for name in QUICK[number::GROUPS] if harness.drawn(f"isolation {name}", 2)]
        self.compare_all([corpus.Head(source_of(name)) for name in names
                          if os.path.exists(harness.program(f"corpus/{name}"))])

    def test_same_executions_first_third(self):
        self.compare_group(0)

    def test_same_executions_second_third(self):
        self.compare_group(1)

    def test_same_executions_last_third(self):
        self.compare_group(2)

    def test_stacks_overflow_at_the_same_address(self):
        """A large environment leaves a page above main's frames that no execution writes."""
        with mock.patch.dict(os.environ, {"HEDDLE_TEST_ENVIRONMENT": "x" * 6000}):
            self.compare_all([corpus.Head(source_of("four_ends"))])

    def test_fork_is_refused_where_threads_would_stay_behind(self):
        if "fork" not in self.isolations:
            self.skipTest("needs fork isolation")
        log = self.scratch.path("executions.log")  # in the present folder, where the program has made nothing
        result, _ = self.scratch.run_heddle("--start-at=race_to_be_first", "--carrier=thread", "--isolation=fork",
                                            f"--execution-log={log}", harness.program("corpus/start_in_a_thread"))
        result.require_status(NO_VERDICT)
        result.require_says("the program has threads already where the search begins", "use --isolation=exec")
        result.require("the program made this" not in result.text, "Heddle's own file is blamed on it")

    def long_test_same_executions_of_all(self):
        # What leaves something behind is the same only where that is undone; what never gives a verdict has no report.
        self.compare_all([head for head in programs_in("*") if not head.isolation and head.name not in NOT_THE_SAME
                          and head.expectation != "no verdict" and head.runner != "livelock_test.py"])

    def require_told(self, result, report, needed, carrier):
        """Auto came to this isolation, and one line says why for each change: by way of fork there are two."""
        isolation = max(needed, FIRST_ISOLATION[carrier], key=ORDER.index)
        result.require(report["isolation"] == isolation, f"expected isolation {isolation}, got {report['isolation']}")
        lines = [line for line in result.text.splitlines() if "isolation: " in line]
        changes = ORDER.index(isolation) - ORDER.index(FIRST_ISOLATION[carrier])
        result.require(min(changes, 1) <= len(lines) <= changes, f"expected a line that tells why, got {lines}")
        result.require(not lines or f"isolation: {isolation}" in lines[-1], "the last line tells of another isolation")

    def test_leaks_are_noticed(self):
        self.need_snapshots()
        heads = programs_in("leak")
        self.assertGreater(len(heads), 10)
        for head in heads:
            for carrier in CARRIERS:
                result, report = self.scratch.run_heddle("--isolation=auto", "--max-preemptions=1",
                                                         f"--carrier={carrier}", harness.program(f"corpus/{head.name}"))
                result.require_status(OK)
                self.require_told(result, report, head.comes_to, carrier)
                result.require(report["lost_coverage"] == 0, "schedules were lost")

    def test_undefined_behavior_sanitizer(self):
        """It writes into a pipe of its own to learn whether memory can be read: no reason to leave snapshots."""
        self.need_snapshots()
        source = self.scratch.path("polymorphic.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(POLYMORPHIC)
        harness.run(["g++", "-g", "-pthread", "-fsanitize=undefined", source, "-o", "polymorphic"],
                    self.scratch.folder).require_status(OK)
        logs = []
        for options in ([], ["--isolation=fork"]):
            log = self.scratch.path("executions.log")
            result, report = self.scratch.run_heddle("-j1", "--max-preemptions=1", f"--execution-log={log}", *options,
                                                     self.scratch.path("polymorphic"))
            result.require_status(OK)
            result.require(report["isolation"] == ("fork" if options else "snapshot"), report["isolation"])
            with open(log, encoding="utf-8") as file:
                logs.append(file.read())
        self.assertEqual(*logs)

    def test_file_stays_out_of_the_folder(self):
        self.need_snapshots()
        result, _ = self.scratch.run_heddle("--isolation=auto", harness.program("corpus/file_created"))
        result.require_status(OK)
        result.require(not os.path.exists(self.scratch.path("made_by_the_test")), "the file is in the user's folder")

    def test_file_made_before_the_first_thread(self):
        """Another start would find it: where one is needed, it is in a folder of its own, for bugs too."""
        self.need_snapshots()
        source = self.scratch.path("lock_file.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(LOCK_FILE)
        for options, isolation, status in (([], "snapshot", OK), (["-DCOPIES"], "exec", OK),
                                           (["-DBUG"], "snapshot", BUG), (["-DCOPIES", "-DBUG"], "exec", BUG)):
            harness.run(["gcc", "-g", "-pthread", *options, source, "-o", "lock_file"],
                        self.scratch.folder).require_status(OK)
            if os.path.exists(self.scratch.path("locked")):
                os.remove(self.scratch.path("locked"))
            result, report = self.scratch.run_heddle(self.scratch.path("lock_file"))
            result.require_status(status)
            result.require(report["isolation"] == isolation, f"{options}: {report['isolation']}")
            result.require(all(bug["replays"] for bug in report["bugs"]), f"{options}: the bug does not come again")
            result.require_says("before its first thread the program, or somebody else meanwhile, made this",
                                "locked")
            if report["bugs"]:  # the file is still there
                self.scratch.heddle("replay", harness.trace_of(report, self.scratch)).require_status(BUG)

    def test_search_goes_on_after_every_end(self):
        for options in self.configurations():
            result, report = self.scratch.run_heddle("--keep-going", "--max-preemptions=2", *options,
                                                     harness.program("corpus/four_ends"))
            result.require_status(BUG)
            kinds = sorted(bug["kind"] for bug in report["bugs"])
            result.require(kinds == ["assertion", "crash", "crash", "exit"], f"{options}: found {kinds}")
            result.require(report["preemption_bound_proved"] == 2 and report["lost_coverage"] == 0,
                           f"{options}: not every schedule was run")
            result.require(all(bug["replays"] for bug in report["bugs"]), f"{options}: a bug does not come again")

    def test_output_is_whole_in_every_execution(self):
        outputs = []
        for options in self.configurations():
            result, _ = self.scratch.run_heddle("-q", "--output=all", "--max-preemptions=1", *options,
                                                harness.program("corpus/stdio_buffers"))
            result.require_status(OK)
            outputs.append(re.findall(r"before, .*", result.text))
            result.require(len(set(outputs[-1])) == 1, f"{options}: executions print different texts")
            result.require(outputs[-1] == outputs[0], f"{options}: other output than with the first")

    def test_unfaithful_snapshot_begins_the_search_anew(self):
        self.need_snapshots()
        program = harness.program("corpus/kept_register")
        _, expected = self.scratch.run_heddle("--isolation=fork", "--max-preemptions=1", program)
        result, report = self.scratch.run_heddle("--isolation=auto", "--max-preemptions=1", program)
        result.require_status(OK)
        result.require("the search begins anew" in result.text, "no line tells that a check has failed")
        for field in SUMMARY:
            result.require(report[field] == expected[field], f"{field}: {report[field]}, not {expected[field]}")

    def test_place_of_a_failure_is_never_heddles_own(self):
        """Without call stacks all that is known of it may be where the runtime has made the call that ended it."""
        result, report = self.scratch.run_heddle("--isolation=fork", harness.program("corpus/descriptor_mapped"))
        result.require_status(BUG)  # one that is not there in a fresh process
        result.require(not report["bugs"][0]["replays"], "it depends on the execution before")
        result.require("descriptor_mapped.c:" in report["bugs"][0]["site"], "the place is the assertion's")
        result.require("dispatch.cpp" not in result.text, "Heddle's own code is no place")

    def test_memory_of_its_own_leaves_room_for_workers(self):
        """A second copy of the program has shared memory of its own: only what others can reach speaks against it."""
        if not (self.offers("--isolation") and self.offers("-j")) or len(os.sched_getaffinity(0)) < 2:
            return
        for name, alone in (("shared_mapping", False), ("descriptor_mapped", False), ("file_created", True)):
            result, _ = self.scratch.run_heddle("--search=random", "--max-schedules=700",
                                                harness.program(f"corpus/{name}"))
            result.require_status(OK)
            told = {"shared_mapping": "shares anonymous memory that was mapped before the start (mmap",
                    "descriptor_mapped": "(/memfd:counter (deleted)), which was open before the first thread was",
                    "file_created": "changes files"}
            result.require_says(told[name])
            result.require(("one worker only" in result.stderr) == alone, f"one worker only: {alone}")

    def test_long_prefix_is_paid_once(self):
        # By the first schedule of each way there, not by every schedule.
        self.need_snapshots()
        head = corpus.Head(source_of("long_prefix"))
        _, _, expected = self.explore(head, ["--isolation=auto", "--checkpoints=never"])
        result, report, log = self.explore(head, ["--isolation=auto", "--checkpoints=auto"])
        result.require_status(OK)
        self.require_same_log(result, "--checkpoints=auto", expected, log)
        _, report = self.scratch.run_heddle("-j1", "--max-preemptions=3", harness.program("corpus/long_prefix"))
        from_start = report["schedules"] - report["resumed_from_checkpoints"]
        result.require(report["resumed_from_bookmarks"] > 0, "no schedule went on from a bookmark")
        result.require(report["schedules"] > 10 * from_start,
                       f"{from_start} of {report['schedules']} schedules ran from the branching point")

    def test_children_live_beside_snapshots_by_hand(self):
        """They may write to their memory; and no schedule goes on from behind a child that is gone."""
        self.need_snapshots()
        for name, choice in itertools.product(("child_writes", "child_removes"), ("auto", "always")):
            result, report = self.scratch.run_heddle("-j1", "--max-preemptions=2", "--isolation=snapshot",
                                                     f"--checkpoints={choice}", harness.program(f"corpus/{name}"))
            result.require_status(OK)
            result.require(report["isolation"] == "snapshot", f"it was run under {report['isolation']}")

    def test_a_long_queue_has_the_same_log_with_checkpoints(self):
        self.need_snapshots()
        program, log = harness.program("corpus/long_queue"), self.scratch.path("log")
        logs, reports = [], []
        for choice in ("never", "auto", "always"):
            result, report = self.scratch.run_heddle("-q", "-j1", "--reduction=none", "--max-preemptions=1",
                                                     "--max-schedules=3000", f"--checkpoints={choice}",
                                                     "--isolation=snapshot", f"--execution-log={log}", program)
            result.require_status(OK)
            with open(log, encoding="utf-8") as file:
                logs.append(file.readlines())
            reports.append(report)
            result.require(logs[-1] == logs[0], f"--checkpoints={choice}: other executions than without")
        never, auto, always = reports
        self.assertLess(auto["steps_run"], never["steps_run"])
        self.assertGreater(always["resumed_from_bookmarks"], 100)

    def test_what_lies_on_dead_stacks_follows_from_the_schedule(self):
        self.need_snapshots()
        program, log = harness.program("corpus/reads_dead_stack"), self.scratch.path("log")
        settings = (["--isolation=fork"], ["--isolation=snapshot", "--checkpoints=never"], ["--isolation=snapshot"],
                    ["--isolation=snapshot"], ["--isolation=snapshot", "--checkpoints=always"])
        for first in range(0, 128, 8):
            logs = []
            for options in settings:
                result = self.scratch.heddle("run", "-q", "-j1", "--keep-going", "--max-preemptions=2",
                                             "--reduction=none", "--determinism-check=0", f"--execution-log={log}",
                                             *options, program, str(first))
                result.require_status(BUG)
                with open(log, encoding="utf-8") as file:
                    logs.append(file.readlines())
                result.require(logs[-1] == logs[0], f"{options}, words from {first} on: not what fork isolation sees")

    def test_descriptors_have_their_own_numbers(self):
        """Those from before the first thread: natively, in every isolation, and in the replay of a bug."""
        source, program = self.scratch.path("pipes.c"), self.scratch.path("pipes")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n"
                       "static void* rest(void* unused) { return unused; }\n"
                       "int main(void) { int ends[4]; pthread_t other;\n"
                       "  if (pipe(ends) != 0 || pipe(ends + 2) != 0) return 2;\n"
                       "  pthread_create(&other, NULL, rest, NULL); pthread_join(other, NULL);\n"
                       '  printf("ends %d %d %d %d\\n", ends[0], ends[1], ends[2], ends[3]); return 1; }\n')
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(OK)
        numbers = re.compile(r"ends \d+ \d+ \d+ \d+")
        natively = numbers.findall(harness.run([program], self.scratch.folder).text)
        self.assertEqual(len(natively), 1)
        for isolation in self.isolations:
            result, report = self.scratch.run_heddle(f"--isolation={isolation}", program)
            result.require_status(BUG)
            replay = self.scratch.heddle("replay", harness.trace_of(report, self.scratch))
            for one in (result, replay):
                one.require(set(numbers.findall(one.text)) == set(natively), f"{isolation}: natively {natively}")

    def test_a_full_ring_harms_nothing(self):
        """The driver falls behind: the runtime waits for room, also where it goes on from a checkpoint."""
        self.need_snapshots()
        result, report = self.scratch.run_heddle("-q", "-j1", "--reduction=none", "--max-preemptions=2",
                                                 "--max-schedules=30000", "--execution-log=log",
                                                 harness.program("bench/alternating"), "250")
        result.require_status(OK)
        result.require(report["schedules"] == 30000 and report["lost_coverage"] == 0, "schedules were lost")

    def test_address_sanitizer_does_not_look_for_leaks(self):
        source = self.scratch.path("sanitized.cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <mutex>\n#include <thread>\nstd::mutex m;\nint n;\n"
                       "void count() { std::lock_guard<std::mutex> guard(m); ++n; }\n"
                       "int main() { std::thread other(count); count(); other.join(); return n - 2; }\n")
        program = self.scratch.path("sanitized")
        harness.run(["g++", "-g", "-O1", "-fsanitize=address", "-pthread", source, "-o", program],
                    self.scratch.folder).require_status(OK)
        result, report = self.scratch.run_heddle("--max-preemptions=2", program)
        result.require_status(OK)
        result.require("its search for leaks at the end" in result.text, "no line tells what is switched off")
        result.require(report["deterministic"] and report["isolation"] == "fork", "it is not controlled")

    def test_damaged_runtime_is_not_believed(self):
        for options in self.configurations():
            result, report = self.scratch.run_heddle("--keep-going", "--max-preemptions=2", *options,
                                                     harness.program("corpus/damages_the_runtime"))
            result.require(result.status in (BUG, NO_VERDICT) or report["lost_coverage"] > 0,
                           f"{options}: the damage was not noticed")
            # The other schedules are run as if nothing had been.
            result.require(report["preemption_bound_proved"] == 2, f"{options}: the search did not go on")

    def test_what_makes_sense_and_was_not_written_is_not_believed(self):
        for options in self.configurations():
            result, report = self.scratch.run_heddle("--max-preemptions=2", *options,
                                                     harness.program("corpus/damages_a_record"))
            result.require(report["lost_coverage"] > 0, f"{options}: the damage was not noticed")
            result.require(report["preemption_bound_proved"] == 0, f"{options}: more is claimed than was seen")
            # The others are run by a process that nobody has written into, and are counted as what they are.
            result.require(report["distinct_executions"] == 2, f"{options}: an execution was believed")

    def test_no_verdict_where_most_schedules_are_lost(self):
        result, report = self.scratch.run_heddle("--max-preemptions=2", harness.program("corpus/damages_a_record"))
        result.require_status(NO_VERDICT)
        result.require_says("No verdict: most schedules could not be run to their end (")
        self.assertGreater(2 * report["lost_coverage"], report["schedules"])


if __name__ == "__main__":
    harness.main()

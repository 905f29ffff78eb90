# Searches that are ended, also by SIGKILL, and resumed by --resume: no saved schedule runs twice, none is missing, no
# bug is lost.
#
# Even on a fast machine a search must not end before it is killed. So it writes its log into a pipe, and gets no
# further than the test reads: `Held`.
import fcntl
import os
import re
import signal
import subprocess
import time

import harness
from harness import BUG, NO_VERDICT, OK, USAGE

PAGE_BYTES = 4096  # what a pipe holds at least: some 85 lines
PATIENCE_S = 0.15  # longer than what lies between two times that the search may be kept, with a disk that is idle
LONGEST_PATIENCE_S = 5  # keeping takes 4 % of the time: with a disk that takes 0.2 s there are 5 s between
PROGRAM = "corpus/ends_in_turn"
STATE = "heddle-out/ends_in_turn.state"


# Thousands of places for a switch: a schedule brings as many that wait.
MANY_POINTS = """#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* use(void* unused) {
  for (int i = 0; i < 2500; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, use, 0);
  use(0);
  return pthread_join(other, 0);
}
"""


class Held:
    """A run that can't finish another 85 schedules or so unless we read on."""

    def __init__(self, scratch, *arguments, stdout=None):
        self.scratch = scratch
        path = scratch.path("held.log")
        if not os.path.exists(path):
            os.mkfifo(path)
        self.pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(self.pipe, fcntl.F_SETPIPE_SZ, PAGE_BYTES)
        command = [harness.OPTIONS.heddle, "run", "-q", "--save-every=20ms", f"--execution-log={path}", *arguments]
        with open(scratch.path("held.txt"), "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(command, cwd=scratch.folder, stdin=subprocess.DEVNULL,
                                            stdout=stdout or output, stderr=output)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.kill()
        self.process.wait()
        os.close(self.pipe)

    def read_until(self, condition, more_patience=1):
        """Reads a page at a time. So the search goes on by not much more than it takes."""
        patience_s = PATIENCE_S
        while not self.holds_soon(condition, patience_s) and self.process.poll() is None:
            patience_s = min(patience_s * more_patience, LONGEST_PATIENCE_S)
            try:
                os.read(self.pipe, PAGE_BYTES)
            except BlockingIOError:
                pass  # it has not come to writing yet

    def holds_soon(self, condition, patience_s):
        late = time.monotonic() + patience_s
        while not condition():
            if time.monotonic() > late or self.process.poll() is not None:
                return condition()
            time.sleep(0.002)
        return True

    def read_until_kept(self, state):
        path = self.scratch.path(state)
        before = os.stat(path).st_ino if os.path.exists(path) else 0
        self.read_until(lambda: os.path.exists(path) and os.stat(path).st_ino != before, more_patience=2)

    def read_to_the_end(self):
        self.read_until(lambda: False)
        return self.process.wait()


class Resume(harness.TestCase):
    def program(self):
        return harness.program(PROGRAM)

    def path(self, name=STATE):
        return self.scratch.path(name)

    def log(self, name):
        """Lines of --execution-log, without the numbers."""
        with open(self.path(name), encoding="utf-8") as file:
            return [line.split(" ", 1)[1] for line in file]

    def start(self, *arguments):
        return Held(self.scratch, *arguments)

    def kill(self, *arguments, state=STATE, until=lambda: True, later=0):
        """Starts a run and kills it after it was kept, and `later` times more, and `until` holds."""
        with self.start(*arguments) as run:
            for _ in range(later + 1):
                run.read_until_kept(state)
            run.read_until(until)
            run.process.send_signal(signal.SIGKILL)
            return run.process.wait() == -signal.SIGKILL and os.path.exists(self.path(state))

    def said(self):
        with open(self.path("held.txt"), encoding="utf-8") as file:
            return file.read() or "nothing"

    def compare(self, *options, moments=(0, 1, 2), arguments=("3",), bugs=3, more=()):
        """The same with `ends_in_turn`, its arguments, and which orders are its bugs."""
        return self.compare_command(STATE, *options, "--keep-going", self.program(), *arguments, str(bugs), *more,
                                    moments=moments)

    def compare_command(self, state, *command, moments):
        """An uninterrupted run and one that is killed at each of these moments and resumed: the same report."""
        result, whole = self.scratch.run_heddle("--execution-log=whole.log", *command)
        result.require_status(BUG)
        for number, moment in enumerate(moments):
            resume = ["--resume"] if number else []
            killed = self.kill(*resume, *command, state=state, later=moment)
            self.assertTrue(killed, f"it ended before it was killed, and said: {self.said()}")
        result, parts = self.scratch.run_heddle("--execution-log=parts.log", "--resume", *command)
        result.require_status(BUG)
        for key in ("schedules", "distinct_executions", "complete", "points", "preemption_bound_proved", "stop_reason",
                    "lost_coverage", "steps_max", "tasks_max", "assumptions"):
            result.require(parts[key] == whole[key], f"{key}: {whole[key]} without, {parts[key]} with interruptions")
        outcomes = [sorted(bug["message"] for bug in report["bugs"]) for report in (whole, parts)]
        result.require(outcomes[0] == outcomes[1], f"bugs: {outcomes}")
        for bug in parts["bugs"]:
            self.assertTrue(os.path.exists(self.path(bug["trace"])), bug["trace"])
        result.require(0 < parts["schedules_before"] <= parts["schedules_in_all"], "how many were run before")
        kept = [] if whole["stop_reason"] != "schedules" else [os.path.basename(state)]
        self.assertEqual([name for name in os.listdir(self.path("heddle-out")) if "state" in name], kept,
                         "only a search that has come to its end leaves nothing")
        return whole, parts

    def require_same_tail(self, parts):
        """The last part ran exactly what an uninterrupted run runs from there on, in the same order."""
        # No assertEqual(): to tell how two lists of so many lines differ takes unittest minutes.
        found, expected = self.log("parts.log"), self.log("whole.log")[parts["schedules_before"]:]
        self.assertEqual(len(found), len(expected), "another number of schedules")
        for number, (one, other) in enumerate(zip(found, expected)):
            self.assertEqual(one, other, f"schedule {number + 1} of the last part")

    def test_dpor(self):
        _, parts = self.compare("-j1", "--search=dpor", arguments=("4",))
        self.assertEqual(parts["schedules"], 34650)
        self.require_same_tail(parts)

    def test_bounded_by_states(self):
        _, parts = self.compare("-j1", "--reduction=states", "--max-preemptions=6", moments=(0, 0, 1),
                                arguments=("4",))
        self.require_same_tail(parts)

    def test_bounded_without_reduction(self):
        _, parts = self.compare("-j1", "--reduction=none", "--max-preemptions=3")
        self.require_same_tail(parts)

    def test_delays(self):
        _, parts = self.compare("-j1", "--search=delay", "--max-delays=3")
        self.require_same_tail(parts)

    def test_random(self):
        _, parts = self.compare("-j1", "--search=random", "--max-schedules=40000", "--seed=5")
        self.require_same_tail(parts)

    def test_several_workers(self):
        self.compare("-j3", "--reduction=none", "--max-preemptions=3")

    def test_random_with_several_workers(self):
        self.compare("-j3", "--search=random", "--max-schedules=40000")

    def test_fork(self):
        _, parts = self.compare("-j1", "--isolation=fork", "--search=dpor", moments=(0, 1))
        self.require_same_tail(parts)

    def test_exec(self):
        _, parts = self.compare("-j1", "--isolation=exec", "--search=dpor", moments=(0, 1), more=("1",))
        self.assertEqual(parts["schedules"], 560)

    def test_kernel_threads(self):
        _, parts = self.compare("-j1", "--carrier=thread", "--search=dpor", moments=(0, 1))
        self.require_same_tail(parts)

    def test_places_that_race(self):
        """The search has begun anew with them when it is killed; it goes on with them."""
        program = harness.program("corpus/races_in_turn")
        for options in (("--search=dpor",), ("--max-preemptions=3",)):
            whole, _ = self.compare_command("heddle-out/races_in_turn.state", "-j1", *options, "--keep-going", program,
                                            moments=(0, 1))
            self.assertIn("places that race", whole["points"])
            self.assertEqual({bug["kind"] for bug in whole["bugs"]}, {"data race", "exit"})

    def test_another_isolation_goes_on(self):
        """How executions are made may differ from one part to the next."""
        command = ("--search=dpor", "--keep-going", self.program(), "3", "3")
        self.assertTrue(self.kill("-j1", "--isolation=fork", *command))
        result, report = self.scratch.run_heddle("--resume", "-j2", "--isolation=snapshot", *command)
        result.require_status(BUG)
        self.assertEqual((report["schedules"], len(report["bugs"])), (1680, 2))

    def test_stops_and_goes_on(self):
        """--time, --max-schedules, an interruption and a bug are no ends of a search."""
        program = (self.program(), "3", "3")
        result, report = self.scratch.run_heddle("--search=dpor", "--save-every=1h", "--max-schedules=3", *program)
        result.require_status(OK)
        self.assertFalse(os.path.exists(self.path()), "a run so short is not kept")
        keep = ("--save-every=0.001ms", "--search=dpor")
        result, report = self.scratch.run_heddle(*keep, "--max-schedules=4", "--isolation=fork", *program)
        result.require_status(OK)
        self.assertEqual(report["stop_reason"], "schedules")
        result.require_says("To go on: the same command with --resume (kept in heddle-out/ends_in_turn.state)")
        ends = []
        for _ in range(5):
            result, report = self.scratch.run_heddle(*keep, "--resume", *program)
            ends.append(report["stop_reason"])
            if ends[-1] != "bug":
                break
        result.require_status(BUG)
        self.assertEqual(ends[-1], "exhausted")
        self.assertEqual((report["schedules"], len(report["bugs"])), (1680, 2))
        self.assertEqual(sorted(name for name in os.listdir(self.path("heddle-out/ends_in_turn-1"))
                                if name.endswith(".trace")), ["bug-1.trace", "bug-2.trace"])
        self.assertFalse(os.path.exists(self.path("heddle-out/ends_in_turn-2")))

    def test_what_early_executions_did_stays_known(self):
        """One of them drew a random number, and none of those that come later does."""
        command = ("-j1", "--search=dpor", self.program(), "3", "0", "0", "draws")
        result, first = self.scratch.run_heddle("--save-every=0.001ms", "--max-schedules=200", *command)
        result.require_status(OK)
        result, later = self.scratch.run_heddle("--resume", *command)
        result.require_status(OK)
        self.assertEqual(later["schedules"], 1680)
        for report in (first, later):
            drew = [text for text in report["assumptions"] if "other random numbers" in text]
            self.assertEqual(len(drew), 1, report["assumptions"])

    def test_interrupted(self):
        command = ("--search=dpor", self.program(), "4")
        with self.start(*command) as run:
            run.read_until_kept(STATE)
            run.process.send_signal(signal.SIGINT)
            self.assertEqual(run.read_to_the_end(), harness.INTERRUPTED)
        result, report = self.scratch.run_heddle("--resume", *command)
        result.require_status(OK)
        self.assertEqual(report["schedules"], 34650)
        result.require_says("going on with the search in heddle-out/ends_in_turn.state, behind ")

    def test_a_folder_of_its_own(self):
        command = ("-o", "mine/", "--search=dpor", "--keep-going", self.program(), "4", "1")
        self.assertTrue(self.kill(*command, state="mine.state"))
        result, report = self.scratch.run_heddle("--resume", *command)
        result.require_status(BUG)
        self.assertEqual(report["schedules"], 34650)
        self.assertFalse(os.path.exists(self.path("heddle-out")))
        self.assertTrue(os.path.exists(self.path("mine/bug-1.trace")))

    def require_refused(self, words, *command):
        result = self.scratch.heddle("run", "--resume", *command)
        result.require_status(USAGE)
        result.require_says(words, STATE)

    def test_what_cant_be_resumed(self):
        command = ("--search=dpor", "--keep-going", self.program(), "4", "1")
        self.require_refused("there is no search to resume", *command)
        found = self.path("heddle-out/ends_in_turn-1/bug-1.trace")
        self.assertTrue(self.kill(*command, until=lambda: os.path.exists(found)))
        with open(self.path(), "rb") as file:
            state = file.read()
        self.require_refused("with --search=dpor, and this is --search=bounded", self.program(), "4", "1")
        self.require_refused("no --seed, and this is --seed=7", "--seed=7", *command)
        self.require_refused("another command: ", *command[:-1], "2")
        changed = bytes([state[500] ^ 1])  # whatever stands there: another byte than that
        for damaged in (state[:-1], state[:100], b"", state[:500] + changed + state[501:]):
            with open(self.path(), "wb") as file:
                file.write(damaged)
            self.require_refused("damaged", *command)
        with open(self.path(), "wb") as file:
            file.write(b"my own notes")
        self.require_refused("no search of this version", *command)
        traces = os.listdir(self.path("heddle-out/ends_in_turn-1"))
        self.assertIn("bug-1.trace", traces, "what was found stays")
        result = self.scratch.heddle("replay", "heddle-out/ends_in_turn-1/bug-1.trace")
        result.require_says("Reproduced")

    def test_another_build_of_the_program(self):
        copy, command = self.path("ends_in_turn"), ("--search=dpor", "--keep-going", "./ends_in_turn", "4", "1")
        with open(self.program(), "rb") as file:
            program = file.read()
        with open(copy, "wb") as file:
            file.write(program)
        os.chmod(copy, 0o755)
        self.assertTrue(self.kill(*command))
        changed = copy + ".changed"  # a process of the run before may still be about to end
        subprocess.run(["objcopy", "--remove-section=.note.gnu.build-id", copy, changed], check=True)
        os.replace(changed, copy)
        self.require_refused("the program has been built anew since", *command)

    def test_a_program_that_does_something_else_now(self):
        command = ("--search=dpor", self.program(), "4")
        self.assertTrue(self.kill(*command))
        result, report = self.scratch.run_heddle("--resume", *command, env={**os.environ, "MORE_SECTIONS": "1"})
        result.require_status(NO_VERDICT)
        result.require_says("the program does not do what it did when the search was kept")
        self.assertTrue(os.path.exists(self.path()), "it may be put right")
        result, report = self.scratch.run_heddle("--resume", *command)
        result.require_status(OK)
        self.assertEqual(report["schedules"], 34650)

    def test_two_at_once(self):
        command = ("--search=random", self.program(), "3")
        with self.start(*command) as run:
            run.read_until_kept(STATE)
            self.require_refused("is going on in another process", *command)
            result, _ = self.scratch.run_heddle("--save-every=0.001ms", "--max-schedules=100", *command)
            result.require_status(OK)
            result.require_says("another run of this program keeps its search there")
        schedules = re.compile(r"behind (\d+) schedules")
        result, _ = self.scratch.run_heddle("--resume", "--max-schedules=1000", *command)
        self.assertGreater(int(schedules.search(result.text).group(1)), 0)

    def test_schedules_on_disk(self):
        """More wait than fit into memory: those on disk are gone on with, too, and are missed when they are gone."""
        with open(self.path("many.c"), "w", encoding="utf-8") as file:
            file.write(MANY_POINTS)
        subprocess.run(["gcc", "-pthread", "-o", "many", "many.c"], cwd=self.scratch.folder, check=True)
        command = ("-j1", "--search=bounded", "--reduction=none", "--stops=0", "--memory-limit=40M",
                   "--max-schedules=600", "./many")
        state, frontier = "heddle-out/many.state", self.path("heddle-out/many.frontier")
        result, _ = self.scratch.run_heddle("--execution-log=whole.log", "-o", "whole", *command)
        result.require_status(OK)
        self.assertTrue(self.kill(*command, state=state, until=lambda: os.path.exists(frontier)), self.said())
        self.assertTrue(self.kill("--resume", *command, state=state, later=1), self.said())
        result, parts = self.scratch.run_heddle("--execution-log=parts.log", "--resume", *command)
        result.require_status(OK)
        self.assertLess(parts["schedules_before"], 600)
        self.require_same_tail(parts)
        os.remove(frontier)
        result = self.scratch.heddle("run", "--resume", *command[:-2], "--max-schedules=700", "./many")
        result.require_says("can't be resumed", "heddle-out/many.frontier, which has a part of its schedules, can't be "
                            "read: No such file or directory", "without --resume the search begins anew")
        os.mkdir(frontier)
        result, parts = self.scratch.run_heddle(*command)
        result.require_status(OK)
        result.require_says("no more of the schedules that wait can be moved to heddle-out/many.frontier: Is a "
                            "directory")
        self.assertEqual(parts["lost_coverage"], 0)

    def test_killed_while_it_reports(self):
        """The search has come to its end, but nobody has read what it found: it is still there."""
        command = ("--search=dpor", "--keep-going", self.program(), "3", "3")
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PAGE_BYTES)
        os.write(writer, b"." * PAGE_BYTES)  # so the summary can't be written
        report = self.path("first.json")
        with Held(self.scratch, f"--json={report}", *command, stdout=writer) as run:
            run.read_until_kept(STATE)
            run.read_until(lambda: os.path.exists(report))
            self.assertIsNone(run.process.poll(), "it did not wait for its reader")
        os.close(reader)
        os.close(writer)
        first = self.scratch.read_report(report)
        result, second = self.scratch.run_heddle("--resume", *command)
        result.require_status(BUG)
        for key in ("schedules", "distinct_executions", "complete"):
            result.require(first[key] == second[key], f"{key}: {first[key]} and then {second[key]}")
        for field in ("message", "key"):
            self.assertEqual([bug[field] for bug in first["bugs"]], [bug[field] for bug in second["bugs"]])
        self.assertTrue(all(bug["threads"] and bug["steps"] for bug in second["bugs"]))
        self.assertFalse(os.path.exists(self.path()), "now it has been told")


if __name__ == "__main__":
    harness.main()

# Fix, rebuild, replay: replays of the same program and of a changed one, and whether they come out the same each time.
import json
import os
import pty
import re
import select
import shutil
import subprocess
from functools import partial

import harness
from harness import BUG, OK, USAGE

FIXED = "bank_account_fixed"
# Fails as bank_account does where ../data can be read; WRITES: it makes a file instead, and `auto` goes on under exec.
LOOKS_AROUND = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  const int seen = count;
  pthread_mutex_unlock(&mutex);
#ifdef WRITES
  close(open("written", O_CREAT | O_WRONLY, 0600));
#endif
  pthread_mutex_lock(&mutex);
  count = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t threads[2];
#ifndef WRITES
  if (access("../data", R_OK) != 0) return 77;
#endif
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2);
  return 0;
}
"""

# Which mutexes it locks depends on the numbers of its descriptors.
USES_DESCRIPTORS = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static pthread_mutex_t mutexes[1024];
static int count;
static void* add(void* unused) {
  const int file = open("/dev/null", O_RDONLY), other = open("/dev/null", O_RDONLY);
  pthread_mutex_lock(&mutexes[file]);
  const int seen = count;
  pthread_mutex_unlock(&mutexes[file]);
  pthread_mutex_lock(&mutexes[other]);
  count = seen + 1;
  pthread_mutex_unlock(&mutexes[other]);
  close(other);
  close(file);
  return unused;
}
int main(void) {
  for (int i = 0; i < 1024; ++i) pthread_mutex_init(&mutexes[i], NULL);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 2);
  return 0;
}
"""

# As many threads as there are processors for it, and one: an update is lost.
ONE_FOR_EACH_PROCESSOR = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;
static void* add(void* unused) {
  pthread_mutex_lock(&mutex);
  const long seen = count;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  count = seen + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  enum { kMost = 1024 };
  static pthread_t threads[kMost + 1];
  const long processors = sysconf(_SC_NPROCESSORS_ONLN), all = (processors < kMost ? processors : kMost) + 1;
  for (long i = 0; i < all; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (long i = 0; i < all; ++i) pthread_join(threads[i], NULL);
  assert(count == all);
  return 0;
}
"""

# A connection is closed twice. MANY: behind so many allocations that each call stack of them would take too long; else
# the memory is given out again in between.
CLOSED_TWICE = """#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* connection;
static int turn;
static void* closer(void* unused) {
  pthread_mutex_lock(&mutex);
  free(connection);
  if (turn++ == 0) {
#ifdef MANY
    for (long i = 0; i < 6000000; ++i) {
      void* volatile block = malloc(200 + i % 300);
      free(block);
    }
#else
    char* volatile line = malloc(90);
    free(line);
#endif
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  connection = malloc(100);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, closer, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
"""


class Replay(harness.TestCase):
    def closed_twice(self, *options):
        source, program = self.scratch.path("closed_twice.c"), self.scratch.path("closed_twice")
        with open(source, "w", encoding="utf-8") as file:
            file.write(CLOSED_TWICE)
        harness.run(["gcc", "-g", "-pthread", *options, source, "-o", program],
                    self.scratch.folder).require_status(OK)
        result, report = self.scratch.run_heddle(program)
        result.require_status(BUG)
        result.require_says("double free detected")
        result.require(report["bugs"][0]["replays"] is True, "it was not reproduced")
        return self.scratch.heddle("show", "--full", harness.trace_of(report, self.scratch))

    def test_history_of_blocks_keeps_replays_short(self):
        self.closed_twice("-DMANY").require_status(OK)

    def test_each_life_of_a_block_that_is_freed_twice_is_told(self):
        shown = self.closed_twice()
        shown.require_says("The block of 90 bytes was allocated by closer 1", "Before that it was freed by closer 1",
                           "The block of 100 bytes was allocated by main")

    def find(self, name, *options):
        """Runs a copy of a corpus program, so that it can be replaced; returns its path and the trace."""
        self.program = self.scratch.path("program")
        shutil.copy(harness.program(f"corpus/{name}"), self.program)
        result, report = self.scratch.run_heddle(*options, self.program)
        result.require_status(BUG)
        return harness.trace_of(report, self.scratch)

    def hold(self, times):
        trace = self.find("bank_account")
        for number in range(1, times + 1):
            replay = self.scratch.heddle("replay", trace)
            replay.require(replay.status == BUG, f"replay {number} of {times} did not reproduce")

    def test_one_hundred_hold(self):
        self.hold(100)

    def long_test_one_thousand_hold(self):
        self.hold(1000)

    def test_it_says_what_the_search_said(self):
        """With names and places, as in README.md."""
        for name in ("philosophers", "lost_wakeup"):
            result, report = self.scratch.run_heddle(harness.program(f"corpus/{name}"))
            result.require_status(BUG)
            replay = self.scratch.heddle("replay", harness.trace_of(report, self.scratch))
            replay.require_says("Reproduced: " + report["bugs"][0]["message"])

    def test_trace_from_before_some_settings(self):
        trace = self.find("philosophers")
        with open(trace, encoding="utf-8") as file:
            text = file.read()
        for setting in ('"follow_fork":false,', '"own_folder":false,', '"made_files":[],'):
            self.assertIn(setting, text)
            text = text.replace(setting, "")
        with open(trace, "w", encoding="utf-8") as file:
            file.write(text)
        self.scratch.heddle("replay", trace).require_status(BUG)

    def test_deadlock_holds_on_other_carrier(self):
        trace = self.find("philosophers")
        for carrier in ("fiber", "thread"):
            replay = self.scratch.heddle("replay", f"--carrier={carrier}", trace)
            replay.require_status(BUG)

    def test_stops_in_a_debugger(self):
        """A replay that is put into gdb by hand: the failing assertion is where that stops."""
        trace = self.find("bank_account")
        for carrier in ("fiber", "thread"):
            stopped = harness.run(
                ["gdb", "-q", "-nx", "-batch", "-ex", "handle SIGSYS SIGSEGV nostop noprint pass",
                 "-ex", "set follow-fork-mode child", "-ex", "set breakpoint pending on", "-ex", "break __assert_fail",
                 "-ex", "run", "-ex", "backtrace", "--args", harness.OPTIONS.heddle, "replay", f"--carrier={carrier}",
                 "--execution-timeout=1h", trace], self.scratch.folder)
            stopped.require(re.search(r"#[1-9].* in main .*bank_account\.c:\d+", stopped.text), "not in main's assert")

    def test_another_command_runs_the_schedule(self):
        trace = self.find("bank_account")
        word = self.scratch.path("word")
        replay = self.scratch.heddle("replay", f"--exec=sh -c 'echo here > word; \"$@\"; echo $? >> word' sh", trace)
        replay.require_says("Reproduced", "the same schedule, run by sh -c")
        with open(word, encoding="utf-8") as file:
            self.assertEqual(file.read(), "here\n134\n")  # the assertion fails there, too
        for command, why in (("valgrind --tool=helgrind", "hand over each system call"), ("gdb", "heddle debug")):
            replay = self.scratch.heddle("replay", f"--exec={command}", trace)
            replay.require_status(USAGE)
            replay.require_says("--exec: ", why)
        if shutil.which("strace") is None:
            print("skipped: strace is not installed")
            return
        replay = self.scratch.heddle("replay", "--exec=strace -f -o calls.txt", trace)
        with open(self.scratch.path("calls.txt"), encoding="utf-8") as file:
            replay.require("SIGABRT" in file.read(), "strace did not see the assertion")

    def test_same_program_rebuilt(self):
        trace = self.find("bank_account")
        # The same code under another build id: a rebuild that changed nothing that matters.
        source = os.path.join(harness.OPTIONS.source, "corpus", "chess", "bank_account.c")
        harness.run(["gcc", "-O1", "-g", "-pthread", "-DREBUILT", "-Wl,--build-id=uuid", source, "-o", self.program],
                    self.scratch.folder).require_status(0)
        replay = self.scratch.heddle("replay", "--yes", trace)
        replay.require_status(BUG)
        replay.require_says("rebuilt", "Reproduced")

    def test_fixed_program_is_not_reproduced(self):
        trace = self.find("bank_account")
        shutil.copy(harness.program(f"corpus/{FIXED}"), self.program)
        replay = self.scratch.heddle("replay", "--yes", trace)
        replay.require(replay.status != BUG, "a fixed program cannot reproduce")
        replay.require_says("rebuilt", "--like=")
        replay.require(re.search("[Dd]iverged at step|[Nn]ot reproduced", replay.text), "says neither")
        replay.require("(diverged)" not in replay.text, "a word of ours that nobody else knows")
        if "iverged at step" in replay.text:
            replay.require_says("only a new search tells")
        like = self.scratch.heddle("run", "--yes", f"--like={trace}")
        like.require_status(OK)

    def test_a_trace_is_a_program_to_run(self):
        """What may not be the user's own build runs only when he says so, and is shown before."""
        trace, marker = self.find("bank_account"), self.scratch.path("marker")
        with open(trace, encoding="utf-8") as file:
            header, rest = file.read().split("\n", 1)
        arguments = ["-c", f"touch {marker}", "\x1b]0;title\x07"]

        def planted(**changes):
            fields = json.loads(header)
            fields.update(changes)
            with open(self.scratch.path("planted.trace"), "w", encoding="utf-8") as file:
                file.write(json.dumps(fields) + "\n" + rest)

        planted(program="/bin/sh", invoked_as="/bin/sh", arguments=arguments)
        shown = ["the trace runs: /bin/sh -c 'touch ", "\\x1b]0;title\\x07", "/bin/sh is a program of the system",
                 "give --yes"]
        for command in (["replay", "planted.trace"], ["run", "--like=planted.trace"]):
            result = self.scratch.heddle(*command)
            result.require_status(USAGE)
            result.require_says(*shown)
            result.require("\x1b" not in result.text, "a control character is printed as it is")
            self.assertFalse(os.path.exists(marker))
        shown = self.scratch.heddle("show", "--full", "planted.trace")
        shown.require_status(OK)
        shown.require("\x1b" not in shown.text and "\x07" not in shown.text, "a control character is printed as it is")
        self.assertFalse(os.path.exists(marker), "show has run it")
        self.scratch.heddle("replay", "--yes", "planted.trace")
        self.assertTrue(os.path.exists(marker))
        library = self.scratch.path("evil.so")
        planted(environment={"LD_PRELOAD": library})
        result = self.scratch.heddle("replay", "planted.trace")
        result.require_status(USAGE)
        result.require_says("the trace sets LD_PRELOAD", f"with LD_PRELOAD={library}")
        planted(environment={"PATH": "/evil"})
        result = self.scratch.heddle("replay", "--yes", "planted.trace")
        result.require_status(USAGE)
        result.require_says('"PATH" is no variable that a trace keeps')
        if os.getuid() == 0:
            os.chown(trace, 1, 1)
            result = self.scratch.heddle("replay", trace)
            result.require_status(USAGE)
            result.require_says("bug-1.trace belongs to another user")
            os.chown(trace, 0, 0)
            os.chown(self.program, 1, 1)
            result = self.scratch.heddle("replay", trace)
            result.require_status(USAGE)
            result.require_says(f"{self.program} belongs to another user")

    def test_who_sits_there_is_asked(self):
        trace = self.find("bank_account")
        source = os.path.join(harness.OPTIONS.source, "corpus", "chess", "bank_account.c")
        harness.run(["gcc", "-O1", "-g", "-pthread", "-DREBUILT", "-Wl,--build-id=uuid", source, "-o", self.program],
                    self.scratch.folder).require_status(0)
        for answer, words in ((b"n\n", "it was not run"), (b"y\n", "Reproduced")):
            terminal, other_end = pty.openpty()
            os.write(terminal, answer)
            done = subprocess.run([harness.OPTIONS.heddle, "replay", trace], cwd=self.scratch.folder, stdin=other_end,
                                  stderr=other_end, stdout=subprocess.PIPE, timeout=60)
            os.close(other_end)
            said = done.stdout.decode()
            while select.select([terminal], [], [], 0)[0]:
                try:
                    said += os.read(terminal, 4096).decode()
                except OSError:  # the other end is closed: all was read
                    break
            os.close(terminal)
            self.assertIn(words, said)
            self.assertIn("is not the build that the trace was made of", said)

    def test_like_repeats_the_search(self):
        trace = self.find("bank_account", "--max-preemptions=3", "--seed=5")
        like = self.scratch.heddle("run", f"--like={trace}")
        like.require_status(BUG)

    def test_latest_points_to_the_newest(self):
        self.find("bank_account")
        first = os.path.realpath(self.scratch.path("heddle-out/latest"))
        self.find("bank_account")
        second = os.path.realpath(self.scratch.path("heddle-out/latest"))
        self.assertNotEqual(first, second)
        self.assertTrue(os.path.isdir(first) and os.path.isdir(second))

    def test_show_names_what_matters(self):
        self.find("abba_deadlock")
        shown = self.scratch.heddle("show", "--full")
        shown.require_status(OK)
        shown.require_says("abba_deadlock.c:", "first", "second", "forward", "backward", "pthread_mutex_lock")

    def test_replay_from_another_folder(self):
        trace = self.find("bank_account")
        os.mkdir(self.scratch.path("elsewhere"))
        replay = harness.run([harness.OPTIONS.heddle, "replay", trace], self.scratch.path("elsewhere"))
        replay.require_status(BUG)

    def build_in_subfolder(self, *options):
        source, folder = self.scratch.path("looks_around.c"), self.scratch.path("folder")
        os.makedirs(folder, exist_ok=True)
        for path, text in ((source, LOOKS_AROUND), (self.scratch.path("data"), "text")):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        harness.run(["gcc", "-g", "-pthread", *options, source, "-o", os.path.join(folder, "program")],
                    folder).require_status(OK)
        return folder

    def test_descriptors_have_the_numbers_that_they_had(self):
        """Whatever the shells of the search and of the replay have left open."""
        source, program = self.scratch.path("uses_descriptors.c"), self.scratch.path("uses_descriptors")
        with open(source, "w", encoding="utf-8") as file:
            file.write(USES_DESCRIPTORS)
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(OK)
        for number, (before, after) in enumerate((("", "3</dev/null 5</dev/null"), ("3</dev/null 5</dev/null", ""),
                                                  ("4</dev/null", "<&-"), ("", ""))):
            command = [harness.OPTIONS.heddle, "run", "-o", f"out-{number}", program]
            found = harness.run(["bash", "-c", f'exec "$@" {before}', "bash", *command], self.scratch.folder)
            found.require_status(BUG)
            found.require("not come again" not in found.text and "diverged" not in found.text, "it was not confirmed")
            command = [harness.OPTIONS.heddle, "replay", f"out-{number}/bug-1.trace"]
            again = harness.run(["bash", "-c", f'exec "$@" {after}', "bash", *command], self.scratch.folder)
            again.require_status(BUG)
            again.require("iverged" not in again.text, f"{before or 'nothing'}, then {after or 'nothing'}: it diverged")
            changed = before != "" or "3<" in after
            again.require(("heddle: descriptor " in again.text) == changed, "it does not say what it changed")

    def test_it_runs_where_the_search_did(self):
        """In the present folder, though no folder could be made: the search made none either."""
        folder, nowhere = self.build_in_subfolder(), dict(os.environ, TMPDIR="/nonexistent")
        for isolation in ("auto", "snapshot", "fork"):
            found = harness.run([harness.OPTIONS.heddle, "run", f"--isolation={isolation}", "./program"], folder,
                                env=nowhere)
            found.require_status(BUG)
            found.require("not come again" not in found.text and "diverged" not in found.text, "it was not confirmed")
            replay = harness.run([harness.OPTIONS.heddle, "replay"], folder, env=nowhere)
            replay.require_status(BUG)
            replay.require_says("Reproduced")

    def test_it_sees_as_many_processors_as_the_search_did(self):
        with open(self.scratch.path("program.c"), "w", encoding="utf-8") as file:
            file.write(ONE_FOR_EACH_PROCESSOR)
        harness.run(["gcc", "-g", "-pthread", "program.c", "-o", "program"], self.scratch.folder).require_status(0)
        allowed = os.sched_getaffinity(0)
        alone = {min(allowed)}
        if allowed == alone:
            self.skipTest("there is one processor only")
        for found_on, replayed_on in ((allowed, alone), (alone, allowed)):
            _, report = self.scratch.run_heddle("-j1", "./program",
                                                preexec_fn=partial(os.sched_setaffinity, 0, found_on))
            trace = harness.trace_of(report, self.scratch)
            self.assertEqual(harness.read_trace(trace)[0]["settings"]["processors"], len(found_on))
            replayed = self.scratch.heddle("replay", trace, preexec_fn=partial(os.sched_setaffinity, 0, replayed_on))
            replayed.require_status(BUG)

    def test_it_runs_in_a_folder_of_its_own_where_the_search_did(self):
        folder = self.build_in_subfolder("-DWRITES")
        for isolation in ("auto", "exec"):
            harness.run([harness.OPTIONS.heddle, "run", f"--isolation={isolation}", "./program"],
                        folder).require_status(BUG)
            replay = harness.run([harness.OPTIONS.heddle, "replay"], folder)
            replay.require_status(BUG)
            replay.require(not os.path.exists(os.path.join(folder, "written")), "the file is in the user's folder")

    def test_keep_going_collects_distinct_bugs(self):
        result, report = self.scratch.run_heddle("--keep-going", "--max-preemptions=2",
                                                 harness.program("corpus/philosophers"))
        result.require_status(BUG)
        sites = [(bug["kind"], bug["site"], bug["message"]) for bug in report["bugs"]]
        result.require(len(sites) == len(set(sites)), "one bug is told twice")
        self.assertTrue(all(os.path.exists(self.scratch.path(bug["trace"])) for bug in report["bugs"]))

    def test_failures_are_told_apart_by_where_the_program_stood(self):
        ways = [["fails_at_two_places", how] for how in ("exception", "library", "abort", "crash")]
        for name, *arguments in [*ways, ["aborts_at_two_places"]]:
            result, report = self.scratch.run_heddle("--keep-going", harness.program(f"corpus/{name}"), *arguments)
            result.require_status(BUG)
            result.require(len(report["bugs"]) == 2, f"two bugs are wanted, not {len(report['bugs'])}: {arguments}")
            lines = {bug["site"] for bug in report["bugs"]}
            result.require(len(lines) == 2, f"both have one place: {lines}")
            result.require(all(bug["replays"] for bug in report["bugs"]), "one is not reproduced")


if __name__ == "__main__":
    harness.main()

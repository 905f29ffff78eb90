# Messages for somebody new to Heddle: lines that explain themselves. And runs that were ended from outside leave
# nothing behind.
import glob
import os
import resource
import signal
import subprocess
import time

import harness
from harness import BUG, INTERRUPTED, NO_VERDICT, OK

# Opens a file, then writes to a pipe from before: under auto by way of fork to exec.
OPENS_THEN_WRITES = """#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void* work(void* unused) {
  close(dup(STDIN_FILENO));
  write(ends[1], "x", 1);
  return unused;
}
int main(void) {
  pthread_t thread;
  pipe2(ends, O_DIRECT);  // not made anew
  pthread_create(&thread, 0, work, 0);
  return pthread_join(thread, 0);
}
"""
# main() makes a file; a thread changes it, which takes exec. Every start must find the folder as the first one did.
MAKES_A_FILE = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int file;
static void* work(void* unused) {
  return unlink("made_by_main") == 0 ? unused : &file;
}
int main(void) {
  pthread_t thread;
  void* result;
  file = open("made_by_main", O_RDWR | O_CREAT | (access("again", F_OK) == 0 ? 0 : O_EXCL), 0600);
  assert(file >= 0);
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, &result);
  assert(result == 0);
  return 0;
}
"""
# Three alike threads, of which the third has not come to code of its own when the first one fails.
ALIKE = """#include <cassert>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex mutex;
static int arrived;
static void worker() {
  std::lock_guard guard(mutex);
  assert(++arrived < 2);
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(worker);
  for (auto& thread : threads) thread.join();
}
"""
# Never at its end: two threads that yield for ever would be a livelock, these only take long.
ENDLESS = """#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* unused) {
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return 0;
}
"""


# Two threads with so many sections each, on mutexes of their own, before they meet.
LONG = """#include <pthread.h>
static pthread_mutex_t mutexes[3];
static void* work(void* own) {
  for (int i = 0; i < 140000; ++i) pthread_mutex_lock(own), pthread_mutex_unlock(own);
  pthread_mutex_lock(mutexes), pthread_mutex_unlock(mutexes);
  return 0;
}
int main(void) {
  pthread_t one, other;
  pthread_create(&one, 0, work, mutexes + 1);
  pthread_create(&other, 0, work, mutexes + 2);
  return pthread_join(one, 0) + pthread_join(other, 0);
}
"""


class Messages(harness.TestCase):
    def build(self, name, text):
        compiler, suffix = ("g++", ".cpp") if "#include <thread>" in text else ("gcc", ".c")
        source = self.scratch.path(name + suffix)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [compiler, "-g", "-w", "-pthread", source, "-o", name]
        harness.run(command, self.scratch.folder).require_status(0)
        return self.scratch.path(name)

    def test_two_changes_of_isolation_are_one_story(self):
        result, report = self.scratch.run_heddle(self.build("opens_then_writes", OPENS_THEN_WRITES))
        result.require_status(OK)
        lines = [line for line in result.text.splitlines() if "isolation: " in line]
        result.require(len(lines) == 2, "expected two lines")
        result.require("fork, from here on: " in lines[0] and "(dup)" in lines[0], "the first line")
        result.require("exec, from here on instead of fork: " in lines[1], "the second line")
        result.require("also uses descriptor " in lines[1] and "(a pipe)" in lines[1], "the descriptor is not named")
        result.require("before the first thread was created (write)" in lines[1], "it does not say when it was opened")
        result.require(report["notes"] == [line.removeprefix("heddle: ") for line in lines], "JSON lacks the notes")

    def test_files_that_main_makes_are_named(self):
        result, report = self.scratch.run_heddle(self.build("makes_a_file", MAKES_A_FILE))
        result.require_status(OK)
        result.require(report["isolation"] == "exec", "expected exec")
        result.require_says("made this in the present folder, where it stays: made_by_main; fresh starts, in a folder")
        result.require(os.path.exists(self.scratch.path("made_by_main")), "a later start changed the user's folder")

    def test_alike_threads_have_alike_names(self):
        result, _ = self.scratch.run_heddle(self.build("alike", ALIKE))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full")
        for name in ("worker 1", "worker 2", "worker 3"):
            page.require_says(name)
        page.require("thread 3" not in page.text, "the third has another name")

    def test_who_waits_for_a_signal_holds_nothing(self):
        result, _ = self.scratch.run_heddle(harness.program("corpus/signal_before_suspend"))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full")
        page.require_says("✗ waits for a signal handler to run")
        page.require("itself" not in page.text, "it says that the thread has what it waits for")

    def test_who_called_exit_is_said(self):
        result, _ = self.scratch.run_heddle(harness.program("corpus/exit_status"))
        result.require_status(BUG)
        self.scratch.heddle("show", "--full").require_says("use: ended the program")

    def test_a_search_that_is_cut_off_says_what_makes_it_long(self):
        result, report = self.scratch.run_heddle("--max-schedules=1500", "-j1", "--symmetry=no",
                                                 self.build("endless", ENDLESS))
        result.require_status(OK)
        result.require_says("There are about ", " schedules with at most 1 preemption (",
                            "Most come from switching before: ", "mutex lock of mutex, endless.c:")
        result.require(report["estimate"]["low"] > 1500, "the estimate is too low")
        result.require(report["busy_places"][0]["share"] >= 0.3, "no place stands out")

    def start_endless(self, *options, **more):
        temporary = self.scratch.path("tmp")
        os.makedirs(temporary, exist_ok=True)
        program = self.build("endless", ENDLESS)
        command = [harness.OPTIONS.heddle, "run", "--isolation=exec", "-j1", *options, program]
        run = subprocess.Popen(command, cwd=self.scratch.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, env={**os.environ, "TMPDIR": temporary},
                               **more)
        late = time.monotonic() + 30
        while not glob.glob(temporary + "/heddle-scratch-*/work/endless"):
            self.assertLess(time.monotonic(), late, "no scratch folder was made")
            time.sleep(0.01)
        return run, temporary

    def test_two_signals_together_are_one(self):
        """As timeout(1) sends them. The run says what it did, and leaves no folder behind."""
        run, temporary = self.start_endless()
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGTERM)
        output = run.communicate(timeout=30)[0]
        self.assertEqual(run.returncode, INTERRUPTED, output)
        self.assertIn("the run was interrupted", output)
        self.assertEqual(os.listdir(temporary), [], output)

    def test_a_plan_that_is_too_long_is_lost(self):
        """With a line, and no verdict: it is not waited for until the time is up."""
        result, report = self.scratch.run_heddle("-j1", "--search=dpor", "--max-steps=2000000", "--time=60s",
                                                 self.build("long", LONG))
        result.require_status(NO_VERDICT)
        result.require(report["stop_reason"] != "time", "it was waited for")
        result.require_says("it has too many steps")

    def test_a_small_stack_is_enough(self):
        """The program has the user's limit; heddle itself needs more."""
        for size in (64, 96, 128, 192):
            def limit(bytes_=size * 1024):
                resource.setrlimit(resource.RLIMIT_STACK, (bytes_, bytes_))
            result, report = self.scratch.run_heddle(harness.program("corpus/bank_account"), preexec_fn=limit)
            result.require_status(BUG)
            replay = self.scratch.heddle("replay", harness.trace_of(report, self.scratch), preexec_fn=limit)
            replay.require_status(BUG)

    def test_a_signal_reaches_a_run_with_a_small_stack(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (64 * 1024, 64 * 1024))
        run, temporary = self.start_endless(preexec_fn=limit)
        run.send_signal(signal.SIGINT)
        output = run.communicate(timeout=30)[0]
        self.assertEqual(run.returncode, INTERRUPTED, output)
        self.assertIn("the run was interrupted", output)
        self.assertEqual(os.listdir(temporary), [], output)

    def test_a_closed_terminal_ends_a_run_with_its_report(self):
        run, temporary = self.start_endless()
        run.send_signal(signal.SIGHUP)
        output = run.communicate(timeout=30)[0]
        self.assertEqual(run.returncode, INTERRUPTED, output)
        self.assertIn("the run was interrupted", output)
        self.assertEqual(os.listdir(temporary), [], output)

    def test_nohup_keeps_a_run_going(self):
        run, _ = self.start_endless(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        run.send_signal(signal.SIGHUP)
        with self.assertRaises(subprocess.TimeoutExpired):
            run.wait(timeout=1)
        run.send_signal(signal.SIGTERM)
        self.assertIn("the run was interrupted", run.communicate(timeout=30)[0])

    def test_a_second_signal_ends_it_at_once(self):
        run, _ = self.start_endless()
        run.send_signal(signal.SIGSTOP)  # so that both are on their way when it goes on
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGCONT)
        time.sleep(0.4)
        run.send_signal(signal.SIGTERM)
        self.assertIn(run.wait(timeout=30), (-signal.SIGTERM, INTERRUPTED))

    def test_killed_run_is_cleaned_up_after(self):
        run, temporary = self.start_endless()
        run.kill()
        run.communicate(timeout=30)
        self.assertEqual(len(os.listdir(temporary)), 1)
        other, _ = self.start_endless()  # uses its own while a third one cleans up
        result = self.scratch.heddle("run", harness.program("corpus/abba_ordered"),
                                     env={**os.environ, "TMPDIR": temporary})
        result.require_status(OK)
        self.assertEqual(len(os.listdir(temporary)), 1, "one is in use, one was left")
        other.send_signal(signal.SIGTERM)
        other.communicate(timeout=30)
        self.assertEqual(os.listdir(temporary), [])


if __name__ == "__main__":
    harness.main()

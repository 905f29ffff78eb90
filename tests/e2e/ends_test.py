# How executions end: by signals that the program sends itself, by signals from elsewhere, by faults; and which of them
# are the same bug.
import os
import resource
import shutil
import signal
import subprocess
import time

import harness
from harness import BUG, NO_VERDICT, OK

HEAD = """#define _GNU_SOURCE
#include <heddle/heddle.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
"""
MAIN = """
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
"""
ISOLATIONS = ("snapshot", "fork", "exec")


class Ends(harness.TestCase):
    def build(self, name, text, *options, compiler="gcc", suffix=".c"):
        source = self.scratch.path(name + suffix)
        with open(source, "w", encoding="utf-8") as file:
            file.write(HEAD + text + MAIN)
        include = os.path.join(harness.OPTIONS.source, "include")
        built = harness.run([compiler, "-g", "-O1", "-w", "-pthread", "-I" + include, *options, source, "-o",
                             self.scratch.path(name)], self.scratch.folder)
        built.require_status(0)
        return self.scratch.path(name)

    def test_signals_to_itself(self):
        """Each of them ends the process, and is a bug with a place, whatever undoes executions."""
        calls = {"TERM": "kill(getpid(), SIGTERM)", "INT": "raise(SIGINT)", "HUP": "kill(0, SIGHUP)",
                 "QUIT": "pthread_kill(pthread_self(), SIGQUIT)", "KILL": "kill(getpid(), SIGKILL)",
                 "SEGV": "raise(SIGSEGV)"}
        calls_by_group = {"TERM": "killpg(getpgrp(), SIGTERM)", "KILL": "kill(0, SIGKILL)"}
        for number, (name, call) in enumerate([*calls.items(), *calls_by_group.items()]):
            path = self.build(f"sends_{number}", "static void* work(void* unused) {\n" + call + ";\nreturn unused; }")
            for isolation in ISOLATIONS:
                result, report = self.scratch.run_heddle("--isolation=" + isolation, path)
                result.require_status(BUG)
                result.require_says(f"SIG{name}, sent by the program itself", f"sends_{number}.c:", "reproduced")
                result.require("ended from outside" not in result.text, "it was taken for another's")

    def test_signal_from_elsewhere(self):
        """A schedule that somebody else ends is no bug, and not covered either."""
        path = self.build("waits", "static void* work(void* unused) { for (volatile int i = 1; i; ) {} return 0; }")
        command = [harness.OPTIONS.heddle, "run", "--execution-timeout=20s", path]
        with subprocess.Popen(command, cwd=self.scratch.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as run:
            while run.poll() is None:
                time.sleep(0.2)
                for process in self.processes_of(path):
                    os.kill(process, signal.SIGQUIT)
            text = run.stdout.read()
        self.assertEqual(run.returncode, NO_VERDICT, text)
        self.assertIn("from outside", text)

    def processes_of(self, path):
        """Those that run this program, which lies in the folder of this test alone."""
        processes = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{process}/exe") == os.path.realpath(path):
                    processes.append(int(process))
            except OSError:
                continue
        return processes

    def test_two_places_are_two_bugs(self):
        ends = {"null": ("null()", "null()"), "raise": ("raise(SIGSEGV)", "raise(SIGSEGV)"),
                "abort": ("raise(SIGABRT)", "raise(SIGABRT)"), "exit": ("exit(3)", "_exit(3)"),
                "kill": ("kill(getpid(), SIGUSR1)", "kill(getpid(), SIGUSR1)")}
        for name, (one, other) in ends.items():
            path = self.build("two_" + name, f"""
static void (*volatile null)(void);
static volatile int sink;
__attribute__((noinline)) static void first(void) {{ {one}; sink = 1; }}
__attribute__((noinline)) static void second(void) {{
  {other}; sink = 2;
}}
static void* work(void* unused) {{
  if (heddle_choose(2) == 0)
    first();
  else
    second();
  return unused;
}}""")
            result, report = self.scratch.run_heddle("--keep-going", path)
            result.require(len(report["bugs"]) == 2, f"{name}: two bugs are wanted")
            for line in (12, 14):
                result.require_says(f"two_{name}.c:{line}")

    def test_stack_overflow_is_named(self):
        path = self.build("deep", """
static volatile int sink;
static int deeper(int n) { volatile char room[SIZE]; room[0] = n; return deeper(n + 1) + room[0]; }
static void* work(void* unused) { sink = deeper(0); return unused; }""", "-DSIZE=3000")
        for isolation in ISOLATIONS:
            result, _ = self.scratch.run_heddle("--isolation=" + isolation, path)
            result.require_status(BUG)
            result.require_says("stack overflow")
        path = self.build("wild", "static void* work(void* unused) { *(volatile int*)64 = 1; return unused; }")
        result, _ = self.scratch.run_heddle(path)
        result.require_says("SIGSEGV at address 0x40")
        result.require("overflow" not in result.text, "a wild write is no overflow")

    def test_no_core_files(self):
        """Also where the program asks for them: nothing is left in its folder, and it is told what it has set."""
        if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
            return
        text = """
static void ask(void) {
  struct rlimit limit, present;
  getrlimit(RLIMIT_CORE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_CORE, &limit);
  getrlimit(RLIMIT_CORE, &present);
  if (present.rlim_cur != limit.rlim_max) _exit(77);
}
static void nothing(int number) { }
"""
        ends = {"aborts": "abort()", "handled": "signal(SIGABRT, nothing); abort()", "strikes": "*(volatile int*)0 = 1",
                "quits": "raise(SIGQUIT)"}
        for name, end in ends.items():
            path = self.build(name, text + "static void* work(void* unused) { ask(); " + end + "; return unused; }")
            for isolation in ISOLATIONS:
                result, _ = self.scratch.run_heddle("--isolation=" + isolation, path)
                result.require_status(BUG)
                result.require("core" not in result.text, "a core file is told of")
            left = [name for name in os.listdir(self.scratch.folder) if name.startswith("core")]
            self.assertEqual(left, [])

    OVERRUN = """
#include <malloc.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static size_t length = 13;
static char* volatile text;
static void* extend(void* unused) {
  pthread_mutex_lock(&mutex);
  length += 2;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* work(void* unused) {
  pthread_t other;
  text = malloc(length);
  pthread_create(&other, 0, extend, 0);
  pthread_mutex_lock(&mutex);
  memset(text, 'x', USED);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, 0);
  END;
  return unused;
}"""

    def test_write_past_the_end_of_a_block(self):
        """It is found where the block is freed or resized, and at the end of the program; the page says how far."""
        ends = {"free": "free(text)", "realloc": "realloc(text, 20)", "exit": "(void)0"}
        for number, (function, end) in enumerate(ends.items()):
            path = self.build(f"overrun_{function}", self.OVERRUN, "-DUSED=length", "-DEND=" + end)
            result, report = self.scratch.run_heddle("--isolation=" + ISOLATIONS[number], path)
            result.require_status(BUG)
            result.require_says(function + "(): a block was written past its end", "reproduced")
            self.scratch.heddle("show", harness.trace_of(report, self.scratch)).require_says(
                "The block of 13 bytes was allocated by work", "At least 2 bytes behind its end were written to.")

    def test_write_over_all_that_a_block_has(self):
        """A program that has asked how much it may use is right."""
        path = self.build("usable", self.OVERRUN, "-DUSED=malloc_usable_size(text)", "-DEND=free(text)")
        result, _ = self.scratch.run_heddle(path)
        result.require_status(OK)

    def test_lock_in_memory_that_address_sanitizer_knows_to_be_freed(self):
        """Also where the thread waited for the lock when the memory was freed, which AddressSanitizer does not see."""
        text = """
const char* __asan_default_options(void) { return "symbolize=0"; }
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t* inner;
static int closed;
static void* user(void* unused) {
  pthread_mutex_lock(&mutex);
  const int gone = closed;
  pthread_mutex_unlock(&mutex);
  if (gone) return unused;
  pthread_mutex_lock(inner);
  pthread_mutex_unlock(inner);
  return unused;
}
static void* work(void* unused) {
  pthread_t other;
  inner = calloc(1, sizeof *inner);
  pthread_mutex_init(inner, 0);
  pthread_create(&other, 0, user, 0);
  pthread_mutex_lock(&mutex);
  closed = 1;
  pthread_mutex_unlock(&mutex);
  EARLY;
  pthread_join(other, 0);
  LATE;
  return unused;
}"""
        for early in (True, False):
            path = self.build(f"poisoned_{early}", text, "-fsanitize=address",
                              "-DEARLY=" + ("free(inner)" if early else "(void)0"),
                              "-DLATE=" + ("(void)0" if early else "free(inner)"))
            result, _ = self.scratch.run_heddle(path)
            result.require_status(BUG if early else OK)
            if early:
                result.require_says("AddressSanitizer: heap-use-after-free", "freed by thread")

    def test_sanitizer_reports_undisturbed(self):
        """While clang's AddressSanitizer prints what it has found, by another program's help, no other thread runs."""
        if shutil.which("clang") is None:
            return
        path = self.build("freed", """
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state;
static void* look(void* unused) {
  pthread_mutex_lock(&mutex);
  const int found = state;
  pthread_mutex_unlock(&mutex);
  volatile char* volatile block = (volatile char*)malloc(10);
  if (found == 1) free((void*)block);
  block[3] = 1;
  return unused;
}
static void* work(void* unused) {
  pthread_t other;
  pthread_create(&other, 0, look, 0);
  for (int i = 1; i <= 2; ++i) {
    pthread_mutex_lock(&mutex);
    state = i;
    pthread_mutex_unlock(&mutex);
  }
  pthread_join(other, 0);
  return unused;
}""", "-fsanitize=address", compiler="clang")
        started = time.monotonic()
        result, report = self.scratch.run_heddle("--keep-going", path)
        result.require_status(BUG)
        result.require_says("heap-use-after-free", "reproduced")
        result.require(len(report["bugs"]) == 1 and report["lost_coverage"] == 0, "not one bug, or schedules were lost")
        result.require(time.monotonic() - started < 60, "it took too long")

    def test_alarm_before_a_longer_sleep(self):
        for search in ("bounded", "dpor", "random"):
            for wait in ("sleep(5)", "sleep(1); sleep(1)"):
                path = self.build("alarm", "static void* work(void* unused) { alarm(1); " + wait + "; return unused; }")
                options = ["--search=" + search, "--max-schedules=5"] if search == "random" else ["--search=" + search]
                for early in ("yes", "no"):
                    result, _ = self.scratch.run_heddle("--early-timeouts=" + early, *options, path)
                    result.require_status(BUG)
                    result.require_says("SIGALRM")
        path = self.build("alarm", "static void* work(void* unused) { alarm(5); sleep(1); alarm(0); return unused; }")
        result, _ = self.scratch.run_heddle(path)
        result.require_status(OK)


if __name__ == "__main__":
    harness.main()

# Programs that start processes: GoogleTest death tests, and workers that are forked in advance. Nothing of a run may be
# left when heddle has ended.
import os

import harness
from harness import BUG, NO_VERDICT, OK

DEATH_TESTS = """#include <gtest/gtest.h>
#include <cstdlib>
#include <mutex>
#include <thread>
static std::mutex mutex;
static int value;
static void add() {
  std::lock_guard guard(mutex);
  ++value;
}
static void die(const char* text) {
  fprintf(stderr, "%s\\n", text);
  abort();
}
class Death : public testing::TestWithParam<const char*> {};
TEST_P(Death, BesideAThread) {
  GTEST_FLAG_SET(death_test_style, GetParam());
  std::thread thread(add);
  EXPECT_DEATH(die("as it should"), "as it should");
  EXPECT_EXIT(exit(3), testing::ExitedWithCode(3), "");
  thread.join();
  EXPECT_EQ(value, 1);
}
TEST_P(Death, InAThread) {
  GTEST_FLAG_SET(death_test_style, GetParam());
  EXPECT_DEATH(std::thread([] { die("in its thread"); }).join(), "in its thread");
}
INSTANTIATE_TEST_SUITE_P(, Death, testing::Values("fast", "threadsafe"));
"""

# How long the child of popen() takes is another matter each time; its end is seen by whoever blocks SIGCHLD then.
UNEVEN_CHILDREN = """#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <spawn.h>
#include <thread>
static void listen_to_child() {
  FILE* pipe = popen("i=$(( ($$ % 16) * 200 )); while [ $i -gt 0 ]; do i=$((i - 1)); done; echo done", "r");
  char line[100] = "";
  assert(pipe != nullptr && fgets(line, sizeof line, pipe) != nullptr);
  assert(pclose(pipe) == 0);
}
int main() {
  std::thread thread(listen_to_child);
  char* arguments[] = {nullptr};
  pid_t child = 0;
  assert(posix_spawn(&child, "/nonexistent", nullptr, nullptr, arguments, arguments) != 0);
  assert(system("exit 0") == 0);
  thread.join();
}
"""


# Starts itself, or what it is told to, before it has threads of its own; these take two locks in two orders.
STARTS_ANOTHER = """#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
static std::mutex left, right;
static void both(std::mutex& one, std::mutex& other) {
  std::scoped_lock first(one);
  std::scoped_lock second(other);
}
int main(int, char** arguments) {
  if (strcmp(arguments[1], "helper") == 0) return std::thread([] {}).join(), 0;
  const std::string command = strcmp(arguments[1], "self") == 0 ? std::string(arguments[0]) + " helper" : arguments[1];
  if (system(command.c_str()) != 0) return 2;
  std::thread thread([] { both(left, right); });
  both(right, left);
  thread.join();
}
"""

DAEMON = """#include <cassert>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
static bool ready;
int main() {
  if (const pid_t child = fork(); child != 0) return waitpid(child, nullptr, 0) == child ? 0 : 1;
  setsid();
  std::thread thread([] { ready = true; });
  assert(ready);
  thread.join();
}
"""


class Processes(harness.TestCase):
    def build(self, name, text, *libraries):
        source = self.scratch.path(name + ".cpp")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        harness.run(["g++", "-g", "-std=c++20", "-pthread", source, "-o", name, *libraries],
                    self.scratch.folder).require_status(0)
        return self.scratch.path(name)

    def test_a_lock_is_looked_at_again_when_its_holder_is_gone(self):
        """How many steps it takes depends on the child's pace; a deadlock it never is."""
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle("-j1", "--max-preemptions=1", f"--carrier={carrier}",
                                                     harness.program("corpus/shared_lock_of_one_gone"))
            result.require_status(OK)
            result.require(report["isolation"] == "exec" and report["schedules"] > 5, "another search than expected")

    def test_death_tests(self):
        program = self.build("death", DEATH_TESTS, "-lgtest", "-lgtest_main")
        for style in (0, 1):
            for isolation in ("auto", "exec"):
                result, report = self.scratch.run_heddle(f"--isolation={isolation}", "--max-preemptions=1",
                                                         "--max-schedules=60", program,
                                                         f"--gtest_filter=*BesideAThread/{style}",
                                                         timeout_s=200)
                result.require_status(OK)
                # How soon the child answers through its pipe is not controlled. Where starting it takes about as long
                # as what its parent does meanwhile, plans can't be followed, and it is said that runs differ.
                result.require(report["lost_coverage"] == 0 or not report["deterministic"], "schedules were lost")

    def test_death_in_a_thread(self):
        """Whoever dies in a death test is not the program; and that has no thread here."""
        program = self.build("death", DEATH_TESTS, "-lgtest", "-lgtest_main")
        test = "--gtest_filter=*InAThread/0"
        result, _ = self.scratch.run_heddle(program, test)
        result.require_status(NO_VERDICT)
        result.require_says("a process that it forked created some: --follow-fork=child explores that one")
        result, report = self.scratch.run_heddle("--follow-fork=child", program, test)
        result.require_status(BUG)
        replay = self.scratch.heddle("replay", harness.trace_of(report, self.scratch))
        replay.require_status(BUG)

    def test_what_the_program_starts_is_not_the_program(self):
        """Whether it is the same file or another, and it has threads first."""
        program = self.build("starts", STARTS_ANOTHER)
        helper = harness.program("corpus/bank_account_fixed")
        for command in ("self", helper):
            for options in ([], ["--carrier=thread"], ["--isolation=exec"], ["--search=dpor"], ["--target=starts"]):
                if command == "self" and options == ["--target=starts"]:
                    continue  # it has that name, too
                result, report = self.scratch.run_heddle(*options, program, command)
                result.require_status(BUG)
                result.require(report["bugs"][0]["kind"] == "deadlock", report["bugs"][0]["kind"])
                self.scratch.heddle("replay").require_status(BUG)
        result, _ = self.scratch.run_heddle("/bin/sh", "-c", f"{helper}; true")
        result.require_status(NO_VERDICT)
        result.require_says("created by another program that this one starts, name it with --target")
        result, _ = self.scratch.run_heddle("--target=bank_account_fixed", "/bin/sh", "-c", f"{helper}; true")
        result.require_status(OK)

    def test_death_in_a_thread_of_another_start(self):
        """A death test of the threadsafe style runs the program anew, which dies as it should."""
        program = self.build("death", DEATH_TESTS, "-lgtest", "-lgtest_main")
        result, _ = self.scratch.run_heddle(program, "--gtest_filter=*InAThread/1")
        result.require_status(NO_VERDICT)
        result, _ = self.scratch.run_heddle("--max-preemptions=1", "--max-schedules=60", program, "--gtest_filter=*/1",
                                            timeout_s=200)
        result.require_status(OK)

    def test_daemons_are_the_program(self):
        """A process that leaves its parent's session is what the user means; it fails here."""
        program = self.build("daemon", DAEMON)
        result, report = self.scratch.run_heddle(program)
        result.require_status(BUG)
        result.require(report["bugs"][0]["kind"] == "assertion", report["bugs"][0]["kind"])

    def test_same_steps_however_long_children_take(self):
        program = self.build("uneven", UNEVEN_CHILDREN)
        log = self.scratch.path("log")
        logs = []
        for _ in range(4):
            result, _ = self.scratch.run_heddle("--search=random", "--max-schedules=100", "-j1",
                                                f"--execution-log={log}", program, timeout_s=200)
            result.require_status(OK)
            with open(log, encoding="utf-8") as file:
                logs.append(file.read().splitlines())
            for one, other in zip(logs[0], logs[-1]):
                result.require(one == other, f"an execution differs from run to run:\n  {one}\n  {other}")

    def test_ends_of_processes_were_ignored(self):
        """As Python's signal.signal(SIGCHLD, SIG_IGN) leaves it to what it starts: no end would be told."""
        program = harness.program("corpus/bank_account")
        ignoring = ["env", "--ignore-signal=CHLD", harness.OPTIONS.heddle]
        for isolation in ("auto", "fork", "exec"):
            result = harness.run([*ignoring, "run", "--json=report.json", f"--isolation={isolation}", program],
                                 self.scratch.folder)
            result.require_status(BUG)
            result.require_says("run again in a fresh process: reproduced")
            harness.run([*ignoring, "replay"], self.scratch.folder).require_status(BUG)

    def test_nothing_is_left(self):
        """When heddle has ended, the program can be rebuilt at once: no process of it is there any more."""
        program = self.scratch.path("program")
        for options in (["--isolation=fork"], ["--isolation=exec"], []):
            for number in range(10):
                with open(harness.program("corpus/bank_account"), "rb") as file:
                    code = file.read()
                with open(program, "wb") as file:  # fails with "text file busy" while it runs
                    file.write(code)
                os.chmod(program, 0o755)
                result = self.scratch.heddle("run", *options, program)
                result.require(result.status == BUG, f"{options}, run {number}: no bug")


if __name__ == "__main__":
    harness.main()

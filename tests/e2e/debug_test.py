# `heddle debug`: gdb on the schedule of a bug, from step to step and back. gdb reads its commands from a pipe; each is
# followed by a line that says where its answer ends.
import os
import re
import shutil
import subprocess

import harness
from harness import USAGE

GDB = shutil.which("gdb")


class Debug(harness.TestCase):
    def find(self, name, *options):
        """The trace of a bug of a corpus program. Which step decides is found out by chance: most tests do without."""
        result, report = self.scratch.run_heddle(*(options or ("--minimize=no",)), harness.program(f"corpus/{name}"))
        result.require(report["bugs"], "no bug was found")
        return harness.trace_of(report, self.scratch)

    def debug(self, trace, *commands):
        """What heddle debug prints before the first command, and what each of these prints."""
        if GDB is None:
            self.skipTest("gdb is not there")
        words = [harness.OPTIONS.heddle, "debug", trace]
        script = "".join(f"{command}\necho \\n==end==\\n\n" for command in ("echo", *commands))
        done = subprocess.run(words, cwd=self.scratch.folder, input=script, capture_output=True, text=True,
                              errors="replace", timeout=100, check=False)
        self.result = harness.Result(words, self.scratch.folder, done.returncode, done.stdout, done.stderr)
        answers = done.stdout.split("==end==")
        self.result.require(len(answers) == len(commands) + 2, "not all commands were answered")
        return answers[:-1]

    def require(self, text, *patterns):
        for pattern in patterns:
            self.result.require(re.search(pattern, text), f"expected {pattern} in:\n{text}\nall:")

    def test_starts_at_the_step_that_decides(self):
        start, there = self.debug(self.find("bank_account", "--stops=0", "--minimize=5s"), "heddle goto decisive")
        decides = re.search(r"Step (\d+) (?:decides|makes it likely)", start)
        self.result.require(decides, "no step decides")
        self.require(start, f"Before step {decides[1]} of 16: ")
        self.require(there, f"Before step {decides[1]} of 16: ")

    def test_deadlock(self):
        """Inspected where it stands: who holds what; and from there back."""
        trace = self.find("philosophers")
        start, why, end, at_end, stack, threads, back, back_threads, forward, _ = self.debug(
            trace, "heddle why", "heddle goto end", "heddle threads", "backtrace", "info threads", "heddle back",
            "heddle threads", "heddle step", "heddle step")
        self.require(start, r"Before step 8 of 12: dine 2 starts \(preempts dine 3\)")
        self.require(why, "dine 1, dine 2 and dine 3 wait for each")
        self.require(end, "At the end, behind 12 steps: ")
        self.require(at_end, r"main +philosophers\.c:26 +waits for dine 1 to end",
                     r"dine 1 +philosophers\.c:16 +waits for forks\[1\], which dine 2 holds since philosophers\.c:15",
                     r"dine 3 +philosophers\.c:16 +waits for forks\[0\], which dine 1 holds since philosophers\.c:15")
        self.require(stack, r"in dine \(argument=.*\)\s+at \S*philosophers\.c:16")
        self.result.require("heddle_debugger_stop" not in stack, "the backtrace shows Heddle's own frames")
        self.result.require(len(re.findall(r"Thread 0x", threads)) == 4, "gdb does not show four threads")
        self.require(back, r"Before step 11 of 12: dine 1 locks forks\[0\], at \S*philosophers\.c:15",
                     r"in dine \(argument=.*\)\s+at \S*philosophers\.c:15")
        self.require(back_threads, r"\* \d+ dine 1 +philosophers\.c:15 +is about to lock forks\[0\]",
                     r"dine 2 +philosophers\.c:16 +waits for forks\[2\], which dine 3 holds")
        self.require(forward, "At the end, behind 12 steps")
        self.result.require_says("there is no further step: this is the end")

    def test_assertion(self):
        """The last preemption comes first; each breakpoint stops where it is said to; the end is in abort()."""
        trace = self.find("bank_account", "--stops=0", "--minimize=no")
        start, zero, made, at_object, at_next, _, end, stack, gone = self.debug(
            trace, "heddle goto 0", "heddle break object account", "continue", "continue", "heddle delete", "continue",
            "backtrace", "continue")
        self.require(start, r"Before step 7 of 16: deposit starts \(preempts withdraw\)")
        self.require(zero, r"Before step 0 of 16: main creates deposit, at \S*bank_account\.c:31")
        self.require(made, r"object account, 6 steps")
        self.require(at_object, r"Before step 5 of 16: withdraw locks account, at \S*bank_account\.c:20",
                     r"in withdraw \(unused=")
        self.require(at_next, r"Before step 6 of 16: withdraw unlocks account")
        self.require(end, r"At the end, behind 16 steps: .*Assertion `balance == 100' failed",
                     r"has printed:\n.*Assertion")
        self.require(stack, r"in \w*abort", r"in main \(\)\s+at \S*bank_account\.c:34")
        self.require(gone, "SIGABRT")

    def test_goes_there_and_back(self):
        """Every way leads to the same places, also a second one; what the program did until there is the same."""
        trace = self.find("bank_account", "--stops=0", "--minimize=no")
        ways = [("heddle goto 3", 3), ("heddle back", 2), ("heddle back", 1), ("heddle step 4", 5),
                ("heddle goto 13", 13), ("heddle back 3", 10), ("heddle goto decisive", 7),
                ("heddle break step 12", "step 12, 1 step"), ("continue", 12), ("print balance", "= 200"),
                ("heddle back", 11), ("heddle break preemption", "preemption, 1 step"), ("heddle goto 2", 2),
                ("continue", 7), ("print balance", "= 100"), ("heddle step", 8), ("run", 7),
                ("break deposit", "Breakpoint 1 at"), ("continue", r"deposit \(unused="),
                ("heddle", "Stopped behind step 7"), ("heddle step", 8), ("heddle goto 9", 9)]
        _, *answers = self.debug(trace, *(command for command, _ in ways))
        for (_, place), answer in zip(ways, answers):
            self.require(answer, rf"Before step {place} of 16: " if isinstance(place, int) else place)

    def test_time_of_back(self):
        """Measured and printed: nothing depends on it."""
        trace = self.find("bank_account", "--stops=0", "--minimize=no")
        _, *answers = self.debug(trace, "python import time; begin = time.monotonic()", "heddle back", "heddle back",
                                 "heddle back", "heddle back", "python print('ms', (time.monotonic() - begin) * 250)")
        self.require(answers[4], "Before step 3 of 16")
        print(f"heddle back takes {float(re.search('ms (.*)', answers[5])[1]):.0f} ms")

    def test_misuse(self):
        trace = self.find("destroy_while_locked")
        start, end, threads = self.debug(trace, "heddle goto end", "heddle threads")
        self.require(start, r"Before step \d+ of \d+: work posts done.* \(counts as a preemption\)")
        self.require(end, r"At the end, behind \d+ steps: .*mutex", r"in main \(\)\s+at \S*destroy_while_locked\.c:25")
        self.require(threads, r"\* 1 main +destroy_while_locked\.c:25 +is about to destroy mutex",
                     r"2 work +destroy_while_locked\.c:14 ")

    def test_data_race(self):
        """Decisive is what comes before the race, not before the end of the program."""
        trace = self.find("race_behind_preemption")
        start, why = self.debug(trace, "heddle why")
        self.require(start, r"Before step \d+ of \d+: run_second starts \(preempts run_first\)")
        self.require(why, "nothing orders them")

    def test_crash(self):
        """A fault of the program stops it there; Heddle's own signals don't."""
        trace = self.find("null_after_check")
        _, end, stack = self.debug(trace, "heddle goto end", "backtrace")
        self.require(end, r"At the end, behind \d+ steps: SIGSEGV")
        self.require(stack, r"in use \(unused=.*\)\s+at \S*null_after_check\.c:18")

    def test_wrong_use(self):
        """The errors that replay has; and without gdb, how to get it."""
        self.scratch.heddle("debug").require_status(USAGE)
        self.scratch.heddle("debug", "7").require_status(USAGE)
        trace = self.find("bank_account", "--stops=0", "--minimize=no")
        self.scratch.heddle("debug", trace, trace).require_status(USAGE)
        without = self.scratch.heddle("debug", trace, env={**os.environ, "PATH": self.scratch.folder})
        without.require_status(USAGE)
        without.require_says("apt install gdb")


if __name__ == "__main__":
    harness.main()

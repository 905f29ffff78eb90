# Wrong arguments to intercepted functions: null, wild pointers, closed descriptors, huge values. The program must get
# the result of the real function, or the same crash, and never a crash of the runtime.
import concurrent.futures
import os
import re
import subprocess

import harness
from harness import BUG, OK

TOGETHER = 12  # calls in one search; each has an execution of its own
CALL = re.compile(r"^(\d+ \d+ .+? gives) (\w+$)?", re.MULTILINE)


class WrongArguments(harness.TestCase):
    def natively(self, pair):
        """What the call says, and the signal that ends the program, or 0."""
        done = subprocess.run([self.program, *pair], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, cwd=self.scratch.folder)
        return done.stdout.strip(), -done.returncode if done.returncode < 0 else 0

    def under_heddle(self, number, pairs, carrier):
        """The same of each execution, in order. The program chooses the call, and the search makes every choice."""
        log, folder = self.scratch.path(f"log-{number}"), self.scratch.path(f"run-{number}")
        os.mkdir(folder)
        result = harness.run([harness.OPTIONS.heddle, "run", "--max-preemptions=0", "--keep-going", "-j1",
                              "--output=all", f"--carrier={carrier}", "--execution-timeout=20s",
                              f"--execution-log={log}", "--", self.program,
                              *(word for pair in pairs for word in pair)], folder)
        with open(log, encoding="utf-8") as file:
            ends = [line.split()[3] for line in file]
        said = [f"{call} {value}".strip() for call, value in CALL.findall(result.stdout)]
        result.require(len(said) == len(ends) >= len(pairs), f"{len(said)} calls in {len(ends)} executions")
        signals = [int(end.removeprefix("signal-")) if end.startswith("signal-") else 0 for end in ends]
        result.require_status(BUG if any(signals) else OK)
        return list(zip(said, signals))

    def compare(self, number, pairs, carrier):
        expected = [self.natively(pair) for pair in pairs]
        found = self.under_heddle(number, pairs, carrier)
        return [f"natively {one}" for one in expected if one not in found] + [
            f"under heddle {one}" for one in found if one not in expected]

    def check(self, carrier):
        self.program = harness.program("tests/e2e/wrong_arguments")
        count = int(harness.run([self.program], self.scratch.folder).stdout)
        self.assertGreater(count, 250)
        pairs = [(str(number), pointer) for number in range(count) for pointer in ("0", "16")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(self.compare, first, pairs[first:first + TOGETHER], carrier)
                    for first in range(0, len(pairs), TOGETHER)]
            different = [text for run in runs for text in run.result()]
        self.assertEqual(different, [], "\n".join(different))

    def test_fiber(self):
        self.check("fiber")

    def test_thread(self):
        self.check("thread")


if __name__ == "__main__":
    harness.main()

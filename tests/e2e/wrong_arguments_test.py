# Wrong arguments to intercepted functions: null, wild pointers, closed descriptors, huge values. The program gets what
# the real function would give it: the same result, or the same crash, and never a crash of the runtime.
import concurrent.futures
import os
import signal
import subprocess

import harness
from harness import BUG, OK


class WrongArguments(harness.TestCase):
    def build(self):
        source = os.path.join(harness.OPTIONS.source, "tests", "e2e", "wrong_arguments.c")
        harness.run(["gcc", "-g", "-w", "-O0", source, "-o", "wrong_arguments", "-pthread", "-lrt"],
                    self.scratch.folder).require_status(0)
        return self.scratch.path("wrong_arguments")

    def natively(self, program, number, pointer):
        done = subprocess.run([program, str(number), str(pointer)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, cwd=self.scratch.folder)
        return done.stdout, -done.returncode if done.returncode < 0 else 0

    def compare(self, program, number, pointer, carrier):
        seen, ended_by = self.natively(program, number, pointer)
        result = self.scratch.heddle("run", "--max-schedules=1", "-j1", "--output=all", f"--carrier={carrier}",
                                     "--execution-timeout=20s", "-o", self.scratch.path(f"out-{number}-{pointer}"),
                                     "--", program, str(number), str(pointer))
        call = seen.split(":")[0]
        if ended_by:
            same = result.status == BUG and signal.Signals(ended_by).name in result.text
        else:
            same = result.status == OK and seen.strip() in result.stdout
        return None if same else f"{call}, with {pointer}: natively {seen!r}, signal {ended_by}; {result.text}"

    def check(self, carrier):
        program = self.build()
        count = int(harness.run([program], self.scratch.folder).stdout)
        self.assertGreater(count, 250)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(self.compare, program, number, pointer, carrier)
                    for number in range(count) for pointer in (0, 16)]
            different = [text for run in runs if (text := run.result()) is not None]
        self.assertEqual(different, [], "\n".join(different))

    def test_fiber(self):
        self.check("fiber")

    def test_thread(self):
        self.check("thread")


if __name__ == "__main__":
    harness.main()

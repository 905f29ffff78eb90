# Programs in Python: each line of their own files is a scheduling point, and pages name Python's files, lines and
# functions. Each program is wrong, and becomes right when a line of it is replaced.
import os
import subprocess

import harness
from harness import BUG, OK, OPTIONS, USAGE

PYTHON = "/usr/bin/python3"

LOST_UPDATE = ("""
import threading
balance = 100
lock = threading.Lock()
def deposit(amount):
    global balance
    CHANGE
threads = [threading.Thread(target=deposit, args=(10,)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert balance == 120, balance
""", """seen = balance
    balance = seen + amount""", """with lock:
        seen = balance
        balance = seen + amount""")

LOCK_ORDER = ("""
import threading
first, second = threading.Lock(), threading.Lock()
class Worker(threading.Thread):
    def __init__(self, one, two):
        super().__init__()
        self.one, self.two = one, two
    def run(self):
        with self.one:
            with self.two:
                pass
workers = [Worker(first, second), CHANGE]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
""", "Worker(second, first)", "Worker(first, second)")

MISSING_WHILE = ("""
import threading
items = []
changed = threading.Condition()
def consume():
    with changed:
        CHANGE not items:
            changed.wait()
        items.pop()
def produce():
    for item in range(2):
        with changed:
            items.append(item)
            changed.notify_all()
threads = [threading.Thread(target=work) for work in (consume, consume, produce)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""", "if", "while")

EARLY_TASK_DONE = ("""
import queue
import threading
work, done = queue.Queue(), []
def serve():
    while (item := work.get()) is not None:
        CHANGE
thread = threading.Thread(target=serve)
thread.start()
work.put(1)
work.join()
count = len(done)
work.put(None)
thread.join()
assert count == 1, count
""", """work.task_done()
        done.append(item)""", """done.append(item)
        work.task_done()""")

MADE_TWICE = ("""
import asyncio
import threading
lock = threading.Lock()
made = {}
count = 0
def make():
    global count
    count += 1
    return count
def get(key):
    CHANGE
    return made[key]
async def main():
    loop = asyncio.get_running_loop()
    await asyncio.gather(*[loop.run_in_executor(None, get, "key") for _ in range(2)])
asyncio.run(main())
assert count == 1, count
""", """if key not in made:
        made[key] = make()""", """with lock:
        if key not in made:
            made[key] = make()""")

SHUT_DOWN_EARLY = ("""
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(max_workers=2)
def inner():
    return 1
def outer():
    return pool.submit(inner).result()
future = pool.submit(outer)
CHANGE
assert future.result() == 1
pool.shutdown()
""", "pool.shutdown(wait=False)", "future.result()")

PROGRAMS = {"lost_update": LOST_UPDATE, "lock_order": LOCK_ORDER, "missing_while": MISSING_WHILE,
            "early_task_done": EARLY_TASK_DONE, "made_twice": MADE_TWICE, "shut_down_early": SHUT_DOWN_EARLY}

# The update is one line, so only a switch within it loses one.
ONE_LINE = LOST_UPDATE[0].replace("CHANGE", "balance = balance + amount")

THREAD_FAILS = """
import threading
box = []
def put():
    box.append(1)
def take():
    box.pop()
threads = [threading.Thread(target=work) for work in (put, take)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


def version():
    if not os.access(PYTHON, os.X_OK):
        return (0, 0)
    text = subprocess.run([PYTHON, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True,
                          check=True).stdout
    return tuple(map(int, text.split()))


# Indented by two: CTest takes what looks like a test of this file for one.
UNITTEST = """
import threading
import unittest
class Account(unittest.TestCase):
  def run_two(self, deposit):
    self.balance = 100
    threads = [threading.Thread(target=deposit) for _ in range(2)]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    self.assertEqual(self.balance, 120)
  def test_lost(self):
    def deposit():
      seen = self.balance
      self.balance = seen + 10
    self.run_two(deposit)
  def test_kept(self):
    lock = threading.Lock()
    def deposit():
      with lock:
        self.balance += 10
    self.run_two(deposit)
"""


class Python(harness.TestCase):
    def setUp(self):
        if version() < (3, 9):
            self.skipTest(f"{PYTHON} is not CPython 3.9 or newer")
        super().setUp()

    def write(self, name, text):
        path = self.scratch.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def search(self, text, *options, name="program.py"):
        return self.scratch.run_heddle("--search=auto", *options, "--", PYTHON, self.write(name, text))

    def line_of(self, text, part):
        return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)

    def check_pair(self, name):
        program, wrong, right = PROGRAMS[name]
        result, report = self.search(program.replace("CHANGE", wrong))
        result.require_status(BUG)
        trace = harness.trace_of(report, self.scratch)
        for number in range(20):  # Python lists the folder of the program: more names must not move its objects
            self.write(f"written-later-{number}.txt", "")
        self.scratch.heddle("replay", "--yes", trace).require_status(BUG)
        result, _ = self.search(program.replace("CHANGE", right), "--max-schedules=300", name="right.py")
        result.require_status(OK)

    def test_lost_update(self):
        self.check_pair("lost_update")

    def test_lock_order(self):
        self.check_pair("lock_order")

    def test_missing_while(self):
        self.check_pair("missing_while")

    def test_early_task_done(self):
        self.check_pair("early_task_done")

    def test_made_twice_in_an_executor(self):
        self.check_pair("made_twice")

    def test_pool_shut_down_early(self):
        self.check_pair("shut_down_early")

    def test_the_page_has_places_in_python(self):
        """Lines and functions of the program's own file, and nothing of the interpreter or its lock."""
        text = LOST_UPDATE[0].replace("CHANGE", LOST_UPDATE[1])
        result, report = self.search(text, name="account.py")
        result.require_status(BUG)
        result.require_says("uncaught exception of type AssertionError: 110, raised at "
                            f"account.py:{self.line_of(text, 'assert')}",
                            "switches elsewhere than at lines of the program's own Python files")
        self.assertNotIn("heddle-cc", result.text)
        page = self.scratch.heddle("show", harness.trace_of(report, self.scratch)).text
        self.assertRegex(page, r"deposit [12] runs at account\.py:7 .* goes on at\s+account\.py:8")
        self.assertIn("is preempted here, before it can run on (:8)\n                    balance = seen + amount", page)
        for word in ("PyThread", "take_gil", "interpreter's lock"):
            self.assertNotIn(word, page)
        debug = self.scratch.heddle("debug", harness.trace_of(report, self.scratch))
        debug.require_status(USAGE)
        debug.require_says("a bug of a Python program can't be followed in gdb")
        whole = self.scratch.heddle("show", "--full", "--stacks", harness.trace_of(report, self.scratch)).text
        self.assertRegex(whole, r"runs\s+account\.py:7\s+seen = balance")

    def test_the_page_has_locks_and_joins_of_python(self):
        """Who holds a lock, which threads wait for whom, and nothing of what Thread.start() does."""
        text = LOCK_ORDER[0].replace("CHANGE", LOCK_ORDER[1])
        result, report = self.search(text, name="workers.py")
        result.require_status(BUG)
        bug = report["bugs"][0]
        self.assertEqual(bug["pattern"], "lock-order inversion")
        self.assertEqual(sorted((lock["name"], len(lock["holders"]), len(lock["waiters"])) for lock in bug["locks"]),
                         [("first", 1, 1), ("second", 1, 1)])
        page = self.scratch.heddle("show", "--width=300", harness.trace_of(report, self.scratch)).text
        self.assertRegex(page, r"Worker.run 1 waits for second, which Worker.run 2 holds since workers\.py:9, at "
                               r"workers\.py:10")
        self.assertRegex(page, r"main waits for Worker\.run [12] to end \(join\)")
        self.assertRegex(page, r"locks first \(:9\)")
        for word in ("semaphore", "initializes", "destroys", "lock 1"):
            self.assertNotIn(word, page)

    def test_the_page_has_waits_of_python(self):
        text = MISSING_WHILE[0].replace("CHANGE", MISSING_WHILE[1])
        result, report = self.search(text, name="box.py")
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--width=300", harness.trace_of(report, self.scratch)).text
        self.assertRegex(page, r"consume [12]  .*unlocks changed; waits to be woken \(:8\)")
        self.assertIn("wakes consume 1; wakes consume 2", page)
        self.assertRegex(page, r'consume [12]  goes on; locks changed \(:8\); runs "items\.pop\(\)" \(:9\)')

    def test_no_error_where_there_is_no_other_sitecustomize(self):
        folder = os.path.join(OPTIONS.build, "python")
        code = f"import os, sys; sys.path[:] = [{folder!r}]; import sitecustomize"
        result = harness.run([PYTHON, "-S", "-c", code], self.scratch.folder)
        result.require_status(0)

    def test_a_method_is_named_with_its_class(self):
        text = LOCK_ORDER[0].replace("CHANGE", LOCK_ORDER[1])
        result, report = self.search(text, name="workers.py")
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["kind"], "deadlock")
        result.require_says(f"workers.py:{self.line_of(text, 'with self.two')}", "Worker.run")

    def test_an_exception_in_a_thread_is_a_bug(self):
        result, report = self.search(THREAD_FAILS, name="box.py")
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["kind"], "exception")
        result.require_says("uncaught exception of type IndexError: pop from empty list, raised at "
                            f"box.py:{self.line_of(THREAD_FAILS, 'box.pop')}")

    def test_points_of_lines_and_of_instructions(self):
        options = ("--max-schedules=300",)
        self.search(ONE_LINE, "--python=line", *options)[0].require_status(OK)
        self.search(ONE_LINE, "--python=opcode", *options)[0].require_status(BUG)
        wrong = LOST_UPDATE[0].replace("CHANGE", LOST_UPDATE[1])
        self.search(wrong, "--python=no", "--max-schedules=30")[0].require_status(OK)

    def test_isolations_agree(self):
        text = LOST_UPDATE[0].replace("CHANGE", LOST_UPDATE[2])
        logs = []
        for isolation in ("auto", "fork", "exec"):
            log = self.scratch.path("log")
            result, report = self.search(text, "-j1", "--max-schedules=40", f"--execution-log={log}",
                                         f"--isolation={isolation}")
            result.require_status(OK)
            self.assertEqual(report["isolation"], "snapshot" if isolation == "auto" else isolation)
            with open(log, encoding="utf-8") as file:
                logs.append(file.read())
            os.remove(log)
        self.assertEqual(logs[0], logs[1])
        self.assertEqual(logs[0], logs[2])

    def test_thread_carrier(self):
        wrong = LOST_UPDATE[0].replace("CHANGE", LOST_UPDATE[1])
        self.search(wrong, "--carrier=thread")[0].require_status(BUG)

    def test_without_points(self):
        """Where Python does not load Heddle's part, a line says so."""
        path = self.write("program.py", LOST_UPDATE[0].replace("CHANGE", LOST_UPDATE[2]))
        options = ("run", "--search=auto", "--max-schedules=3")
        says = "no line of the program's own Python files was a scheduling point"
        self.scratch.heddle(*options, "--", PYTHON, "-I", path).require_says(says)
        for command in (("--", PYTHON, path), ("--python=no", "--", PYTHON, "-I", path)):
            self.assertNotIn(says, self.scratch.heddle(*options, *command).text)

    def test_each_test_of_unittest(self):
        self.write("test_account.py", UNITTEST)
        result = self.scratch.heddle("test", "--max-schedules=200", "--search=auto", "--json=suite.json", PYTHON, "-m",
                                     "unittest", "test_account")
        result.require_status(BUG)
        report = self.scratch.read_report("suite.json", "suite")
        self.assertEqual(report["framework"], "unittest")
        self.assertEqual([(test["name"], len(test["report"]["bugs"])) for test in report["tests"]],
                         [("test_account.Account.test_kept", 0), ("test_account.Account.test_lost", 1)])
        result.require_says("FAIL: test_lost (test_account.Account.test_lost): AssertionError: 110 != 120, raised at "
                            f"test_account.py:{self.line_of(UNITTEST, 'assertEqual')}")
        result = self.scratch.heddle("test", PYTHON, "-m", "unittest", "nowhere")
        result.require_status(USAGE)
        result.require_says("unittest can't import a module of tests")

    def test_what_the_program_sees_of_it(self):
        """A sitecustomize of the user's is loaded, and what starts Python's part of Heddle is not to be seen."""
        self.write("sitecustomize.py", "import builtins; builtins.mine = True")
        text = """
import os
import sys
import threading
thread = threading.Thread(target=lambda: None)
thread.start()
thread.join()
assert mine
assert "HEDDLE_PYTHON" not in os.environ
assert os.environ["PYTHONPATH"] == os.path.dirname(__file__)
assert not [folder for folder in sys.path if "heddle" in folder and folder.endswith("/python")]
"""
        command = ("run", "--search=auto", "--max-schedules=3", "--", PYTHON, self.write("program.py", text))
        environment = dict(os.environ, PYTHONPATH=os.path.dirname(self.scratch.path("program.py")))
        self.scratch.heddle(*command, env=environment).require_status(OK)


if __name__ == "__main__":
    harness.main()

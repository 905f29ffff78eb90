# The race detector against ThreadSanitizer, on the same schedules: random programs that force the order of their steps
# themselves, in a way that neither tool sees. What ThreadSanitizer reports natively, Heddle must report.
import os
import random
import re
import subprocess

import harness
from harness import OK

SCENARIOS = 30
VARIABLES = 4  # each as a word, and as eight bytes
ORDERS = {"load": ("relaxed", "acquire", "seq_cst"), "store": ("relaxed", "release", "seq_cst"),
          "fetch_add": ("relaxed", "acquire", "release", "acq_rel", "seq_cst")}

HEADER = """#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

// Not instrumented: what is ordered by it is ordered for no tool.
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
static volatile int turn;
static UNSEEN void await(int number) {
  while (turn != number) sched_yield();
}
static UNSEEN void next(void) { turn = turn + 1; }
static UNSEEN void use(long value) { __asm__ volatile("" : : "r"(value)); }

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static atomic_long atomics[2];
"""


class Scenario:
    """A random program for two or three threads and an order of its steps in which none of them blocks."""

    def __init__(self, number, chooser, with_atomics):
        self.number, self.choose = number, chooser
        self.threads = chooser.choice((2, 2, 3))
        self.steps = [[] for _ in range(self.threads)]  # (turn, statement, variable or None)
        self.turn = 0
        self.mutexes, self.writer, self.readers, self.posts = [None, None], None, set(), 0
        for _ in range(chooser.randint(8, 20)):
            self.add(chooser.randrange(self.threads), with_atomics)
        for thread in range(self.threads):
            self.give_all_back(thread)

    def step(self, thread, statement, variable=None):
        self.steps[thread].append((self.turn, statement, variable))
        self.turn += 1

    def add(self, thread, with_atomics):
        kinds = [self.access] * 5 + [self.lock] * 3 + [self.rwlock, self.semaphore] + [self.atomic] * (3 * with_atomics)
        self.choose.choice(kinds)(thread)

    def access(self, thread):
        variable, write = self.choose.randrange(VARIABLES), self.choose.random() < 0.5
        if self.choose.random() < 0.7:
            name = place = f"word{variable}"
        else:
            name, place = f"bytes{variable}", f"bytes{variable}[{self.choose.randrange(3)}]"
        self.step(thread, f"{place} = {self.turn % 100};" if write else f"use({place});", name)

    def lock(self, thread):
        mutex = self.choose.randrange(2)
        if self.mutexes[mutex] == thread:
            self.mutexes[mutex] = None
            self.step(thread, f"pthread_mutex_unlock(&mutexes[{mutex}]);")
        elif self.mutexes[mutex] is None:
            self.mutexes[mutex] = thread
            self.step(thread, f"pthread_mutex_lock(&mutexes[{mutex}]);")

    def rwlock(self, thread):
        if self.writer == thread or thread in self.readers:
            self.writer = None
            self.readers.discard(thread)
            self.step(thread, "pthread_rwlock_unlock(&rwlock);")
        elif self.writer is None and not self.readers and self.choose.random() < 0.5:
            self.writer = thread
            self.step(thread, "pthread_rwlock_wrlock(&rwlock);")
        elif self.writer is None:
            self.readers.add(thread)
            self.step(thread, "pthread_rwlock_rdlock(&rwlock);")

    def semaphore(self, thread):
        if self.posts > 0 and self.choose.random() < 0.5:
            self.posts -= 1
            self.step(thread, "sem_wait(&semaphore);")
        else:
            self.posts += 1
            self.step(thread, "sem_post(&semaphore);")

    def atomic(self, thread):
        kind = self.choose.choice(tuple(ORDERS))
        order = "memory_order_" + self.choose.choice(ORDERS[kind])
        address = f"&atomics[{self.choose.randrange(2)}]"
        operands = f"{address}, {order}" if kind == "load" else f"{address}, 1, {order}"
        self.step(thread, f"atomic_{kind}_explicit({operands});")

    def give_all_back(self, thread):
        for mutex in range(2):
            if self.mutexes[mutex] == thread:
                self.lock_back(thread, mutex)
        if self.writer == thread or thread in self.readers:
            self.rwlock(thread)

    def lock_back(self, thread, mutex):
        self.mutexes[mutex] = None
        self.step(thread, f"pthread_mutex_unlock(&mutexes[{mutex}]);")

    def write(self, lines, variables):
        """Appends its functions to `lines`; `variables` gets the variable of each line that accesses one."""
        for thread, steps in enumerate(self.steps):
            lines.append(f"static void* scenario{self.number}_{thread}(void* unused) {{")
            for turn, statement, variable in steps:
                lines.append(f"  await({turn});")
                lines.append(f"  {statement}")
                if variable is not None:
                    variables[len(lines)] = variable
                lines.append("  next();")
            lines += ["  return unused;", "}"]
        lines.append(f"static void scenario{self.number}(void) {{")
        lines.append(f"  pthread_t threads[{self.threads}];")
        for thread in range(self.threads):
            lines.append(f"  pthread_create(&threads[{thread}], NULL, scenario{self.number}_{thread}, NULL);")
        lines.append(f"  for (int i = 0; i < {self.threads}; ++i) pthread_join(threads[i], NULL);")
        lines.append("}")


def write_program(seed, count, with_atomics):
    """The text of a program of `count` scenarios, and which variable each of its lines accesses."""
    chooser = random.Random(seed)
    lines = HEADER.splitlines()
    for number in range(VARIABLES):
        lines.append(f"static long word{number};")
        lines.append(f"static char bytes{number}[8] __attribute__((aligned(8)));")
    variables = {}
    for number in range(count):
        Scenario(number, chooser, with_atomics).write(lines, variables)
    lines.append(f"static void (*const scenarios[{count}])(void) = {{")
    lines += [f"    scenario{number}," for number in range(count)]
    lines += ["};", "int main(int argc, char** argv) {", "  sem_init(&semaphore, 0, 0);",
              "  scenarios[argc > 1 ? atoi(argv[1]) : 0]();", "}"]
    return "\n".join(lines) + "\n", variables


class ThreadSanitizer(harness.TestCase):
    def build(self, name, compiler, source, *options):
        program = self.scratch.path(name)
        harness.run([compiler, "-std=gnu17", "-O1", "-g", "-w", "-pthread", *options, source, "-o", program],
                    self.scratch.folder, timeout_s=120).require_status(OK)
        return program

    def racing_lines(self, text):
        return {int(line) for line in re.findall(r"scenarios\.c:(\d+)", text)}

    def by_thread_sanitizer(self, program, number):
        options = "exitcode=0 suppress_equal_stacks=0 suppress_equal_addresses=0 history_size=7"
        run = subprocess.run(["setarch", "-R", program, str(number)], capture_output=True, text=True, timeout=60,
                             check=True, env={**os.environ, "TSAN_OPTIONS": options})
        # Of each stack its innermost frame; the creations of the threads, further below, are no accesses.
        return self.racing_lines("\n".join(re.findall(r"^    #0 .*", run.stderr, re.MULTILINE)))

    def by_heddle(self, program, number):
        result, _ = self.scratch.run_heddle("--races=report", "--max-schedules=1", "--determinism-check=0", "--",
                                            program, str(number))
        result.require_status(OK)
        return self.racing_lines("\n".join(line for line in result.text.splitlines() if "data race:" in line)), result

    def require_no_more(self, result, tool, seed, number, seen, seen_by_other):
        result.require(seen <= seen_by_other, f"scenario {number} of seed {seed}: only {tool} sees a race on "
                                              f"{sorted(seen - seen_by_other)}, both on {sorted(seen & seen_by_other)}")

    def compare(self, seed, with_atomics, exactly):
        source = self.scratch.path("scenarios.c")
        text, variables = write_program(seed, SCENARIOS, with_atomics)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        sanitized = self.build("sanitized", "gcc", source, "-fsanitize=thread")
        instrumented = self.build("instrumented", os.path.join(harness.OPTIONS.build, "heddle-cc"), source)
        racing = 0
        for number in range(SCENARIOS):
            theirs = {variables[line] for line in self.by_thread_sanitizer(sanitized, number) if line in variables}
            lines, result = self.by_heddle(instrumented, number)
            ours = {variables[line] for line in lines if line in variables}
            self.require_no_more(result, "ThreadSanitizer", seed, number, theirs, ours)
            if exactly:
                self.require_no_more(result, "Heddle", seed, number, ours, theirs)
            racing += bool(theirs)
        self.assertGreater(racing, SCENARIOS // 4, "ThreadSanitizer found next to nothing: does it work here?")

    def test_with_locks_both_find_the_same(self):
        self.compare(1, with_atomics=False, exactly=True)

    def test_with_atomics_it_finds_no_more(self):
        """Heddle may find more: ThreadSanitizer takes a relaxed store for no end of what a release published there."""
        self.compare(2, with_atomics=True, exactly=False)


if __name__ == "__main__":
    harness.main()

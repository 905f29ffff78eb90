# heddle doctor: what it says of programs, of a machine that allows little, and with which status; and the note on
# options that stand behind the program.
import os

import harness
from container_test import REFUSE
from harness import OK, USAGE

COUNTS = """#include <pthread.h>
int count, add(void);
static void* run(void* unused) { add(); return unused; }
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, run, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return count != 2;
}
"""
ADD = """extern int count;
int add(void) { return __atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST); }
"""


class Doctor(harness.TestCase):
    def write(self, name, text, mode=0o644):
        path = self.scratch.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def build(self, compiler, *words):
        harness.run([compiler, *words], self.scratch.folder).require_status(0)

    def doctor(self, *words, status=OK, command=()):
        result = harness.run([*command, harness.OPTIONS.heddle, "doctor", *words], self.scratch.folder)
        result.require_status(status)
        lines = result.stdout.splitlines()
        result.require(len(lines) <= 24, "more than a screen")
        result.require(lines[-1].startswith("Next: "), "no last line that says what comes next")
        return result

    def sources(self):
        self.write("counts.c", COUNTS)
        self.write("add.c", ADD)

    def test_plain_programs(self):
        self.sources()
        self.build("gcc", "-g", "-pthread", "counts.c", "add.c", "-o", "counts")
        result = self.doctor("./counts", "--time=5s")
        result.require_says("ok       explored a small program", "ok       dynamically linked",
                            "ok       debug information", "note     not built with heddle-c++: counts;",
                            "(there are some in counts)", "Next: heddle run ./counts --time=5s")
        result.require("missing" not in result.text, "something is missing")
        self.build("strip", "counts")
        self.doctor("./counts").require_says("note     no debug information in counts", "(there are some in counts)")
        self.build("gcc", "-shared", "-fPIC", "add.c", "-o", "libadd.so")
        self.build("gcc", "-g", "-pthread", "counts.c", "./libadd.so", "-o", "counts")
        self.doctor("./counts").require_says("for glibc, with libadd.so", "no debug information in libadd.so",
                                             "(there are some in libadd.so)")
        os.remove(self.scratch.path("libadd.so"))
        self.doctor("./counts", status=USAGE).require_says("missing  the system can't load it: ./libadd.so")

    def test_instrumented_programs(self):
        self.sources()
        compiler = harness.program("heddle-cc")
        self.build(compiler, "-g", "-pthread", "counts.c", "add.c", "-o", "counts")
        result = self.doctor("./counts")
        result.require_says("ok       built with heddle-c++: counts; threads")
        result.require("not built" not in result.text and "not compiled" not in result.text, "a part is called plain")
        self.build("strip", "counts")
        self.doctor("./counts").require_says("ok       built with heddle-c++: counts; threads")
        self.build("gcc", "-g", "-c", "add.c")
        self.build(compiler, "-g", "-pthread", "counts.c", "add.o", "-o", "counts")
        self.doctor("./counts").require_says("note     in counts, add.c was not compiled by heddle-c++")
        self.build("gcc", "-g", "-c", "counts.c")
        self.build(compiler, "-pthread", "counts.o", "add.o", "-o", "counts")
        self.doctor("./counts").require_says("note     counts was linked by heddle-c++, and none of its sources")

    def test_what_is_no_program(self):
        self.doctor().require_says("Next: heddle doctor PROGRAM")
        self.doctor("./nowhere", status=USAGE).require_says("missing  ./nowhere: there is no such program",
                                                            "Next: mend what is missing, then: heddle doctor ./nowhere")
        self.write("script", "#!/bin/sh\nexec true\n")
        self.doctor("./script", status=USAGE).require_says("chmod +x")
        os.chmod(self.scratch.path("script"), 0o755)
        self.doctor("./script").require_says("--target=NAME", "Next: heddle run ./script")

    def test_a_machine_that_allows_little(self):
        self.write("refuse.c", REFUSE)
        self.build("gcc", "-DDISPATCH", "refuse.c", "-o", "refuse")
        refuse = (self.scratch.path("refuse"), "taskset", "-c", str(min(os.sched_getaffinity(0))))
        result = self.doctor(command=refuse)
        result.require_says("slow     each schedule is a process of its own (fork): the kernel does not let",
                            "note     addresses differ from process to process", "slow     one processor")

    def test_options_behind_the_program(self):
        self.sources()
        self.build("gcc", "-g", "-pthread", "counts.c", "add.c", "-o", "counts")
        note = "heddle: note: --time=5s stands behind ./counts and goes to it"
        self.scratch.heddle("run", "--max-schedules=1", "./counts", "--time=5s").require_says(note)
        self.scratch.heddle("test", "./counts", "--time=5s").require_says(note)
        meant = self.scratch.heddle("run", "--max-schedules=1", "--", "./counts", "--time=5s")
        meant.require("stands behind" not in meant.text, "what is meant so is doubted")


if __name__ == "__main__":
    harness.main()

# An unprivileged container: no rights, system calls refused as the default seccomp profile of container engines does,
# one processor in the mask, nothing writable but the folder. Where something is refused, Heddle falls back with at most
# a line.
import os
import re
import shutil

import harness
from harness import BUG, NO_VERDICT, OK, OPTIONS

# Refuses what the default profile refuses and Heddle might like to have, then becomes the given command.
REFUSE = """#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define REFUSE(number) \\
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#ifdef DISPATCH  // no Syscall User Dispatch, as on kernels before 5.11
#define MORE \\
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3), \\
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])), REFUSE(59),
#else
#define MORE
#endif
int main(int count, char** arguments) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(SYS_personality), REFUSE(SYS_userfaultfd), REFUSE(SYS_perf_event_open), REFUSE(SYS_ptrace),
      REFUSE(SYS_process_vm_readv), REFUSE(SYS_kcmp), REFUSE(SYS_unshare), REFUSE(SYS_mount), MORE
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (count < 2 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
    perror("refuse");
    return 99;
  }
  execvp(arguments[1], arguments + 1);
  perror(arguments[1]);
  return 98;
}
"""


# Has a pointer to its own file among its variables.
COUNTS = """#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void* add(void* unused) {
  static int* where;
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    where = &count;
    ++*where;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(count == 4);
  return 0;
}
"""


# Two plain updates that race.
RACE = """#include <assert.h>
#include <pthread.h>
static int n;
static void* count(void* unused) { n = n + 1; return unused; }
int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(n == 2);
}
"""

# Two libraries are built of it.
LIBRARY = """extern int begun, counted;
__attribute__((constructor)) static void begin(void) { begun = begun + 1; }
void count(void) { counted = counted + 1; }
"""

LOADS = """#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
__attribute__((visibility("default"))) int begun, counted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* load(void* name) {
  pthread_mutex_lock(&mutex);
  void* library = dlopen(name, RTLD_NOW);
  pthread_mutex_unlock(&mutex);
  assert(library != NULL);
  ((void (*)(void))dlsym(library, "count"))();
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, load, "./libone.so");
  pthread_create(&threads[1], NULL, load, "./libother.so");
  begun = begun + 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(begun == 3);
  assert(counted == 2);
}
"""

# Copies a function to memory of its own and runs it there. What it calls it finds by a pointer.
MADE = """#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
void __tsan_write4(void* address);
static int value;
static void (*made)(void (*)(void*), int*);
__attribute__((noinline, no_sanitize("thread")))
static void write_there(void (*told)(void*), int* to) {
  told(to);
  *(volatile int*)to = 1;
}
static void* run(void* unused) { made(__tsan_write4, &value); return unused; }
int main(void) {
  void* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(memory, (const void*)write_there, 128);
  made = (void (*)(void (*)(void*), int*))memory;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
"""

# The reader uses `value` only where it is run between the writer's first and last step.
LATE = r"""#include <assert.h>
#include <pthread.h>
#include <stddef.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static int flag, value;
#define SET(mutex, variable, number) \
  do { pthread_mutex_lock(&mutex); variable = number; pthread_mutex_unlock(&mutex); } while (0)
static void* writer(void* unused) {
  SET(one, flag, 1);
  ACCESSES
  SET(one, flag, 0);
  return unused;
}
static void* reader(void* unused) {
  pthread_mutex_lock(&one);
  int seen = flag;
  pthread_mutex_unlock(&one);
  if (seen == 0) return unused;
  pthread_mutex_lock(&two);
  int found = value;
  pthread_mutex_unlock(&two);
  assert(found != 160);
  return unused;
}
int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}
"""


class Container(harness.TestCase):
    def contained(self, *arguments, refused=()):
        """heddle with the arguments, in a folder that belongs to nobody (the user), refused as above."""
        source = self.scratch.path("refuse.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(REFUSE)
        built = harness.run(["gcc", *(f"-D{one}" for one in refused), source, "-o", self.scratch.path("refuse")],
                            self.scratch.folder)
        built.require_status(0)
        command = [self.scratch.path("refuse"), "taskset", "-c", str(min(os.sched_getaffinity(0))),
                   harness.OPTIONS.heddle, *harness.with_search(arguments)]
        if os.getuid() == 0:
            os.chmod(self.scratch.folder, 0o777)
            readable = harness.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x",
                                    harness.OPTIONS.heddle], self.scratch.folder)
            if readable.status == 0:
                self.hand_over_results()
                command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        return harness.run(command, self.scratch.folder)

    def hand_over_results(self):
        """What heddle wrote outside is for its user alone: gives it to nobody (the user), who goes on with it."""
        for folder, _, names in os.walk(self.scratch.path("heddle-out")):
            for name in (folder, *(os.path.join(folder, name) for name in names)):
                os.chown(name, 65534, 65534, follow_symlinks=False)

    def contained_replay(self):
        """The programs belong to another user there, so heddle would ask before it runs one."""
        return self.contained("replay", "--yes")

    def test_bug_is_found_and_replayed(self):
        for carrier in ("fiber", "thread"):
            for isolation in ("fork", "exec"):
                result = self.contained("run", f"--carrier={carrier}", f"--isolation={isolation}",
                                        harness.program("corpus/bank_account"))
                result.require_status(BUG)
                self.contained_replay().require_status(BUG)

    def test_alternate_stacks_where_calls_are_not_dispatched(self):
        """The kernel calls the handlers of faults itself there: its alternate stack follows the tasks."""
        for carrier in ("fiber", "thread"):
            for isolation in ("auto", "exec"):
                for name, status in (("recovers_from_overflow", BUG), ("recovers_from_overflow_fixed", OK),
                                     ("fault_handlers_at_once", OK), ("test_framework", OK)):
                    result = self.contained("run", "--max-preemptions=1", f"--carrier={carrier}",
                                            f"--isolation={isolation}", harness.program(f"corpus/{name}"),
                                            refused=("DISPATCH",))
                    result.require_status(status)
                    if (carrier, isolation) == ("fiber", "auto"):
                        result.require_says("the kernel does not let system calls be seen here")

    def test_clean_stays_clean(self):
        result = self.contained("run", "--max-preemptions=2", harness.program("corpus/bank_account_fixed"))
        result.require_status(OK)
        notes = [line for line in result.text.splitlines() if line.startswith("heddle: ")]
        result.require(len(notes) <= 2, "more than a line on what was refused, beside the headline")

    def test_variables_are_compared_wherever_they_lie(self):
        """Each process has its own addresses; that is no sign that threads learn of each other by something."""
        source, program = self.scratch.path("counts.c"), self.scratch.path("counts")
        with open(source, "w", encoding="utf-8") as file:
            file.write(COUNTS)
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        result = self.contained("run", "--isolation=exec", program)
        result.require_status(OK)
        result.require_says("address randomization could not be switched off", "Proved: every schedule was run")
        result.require("left different memory" not in result.text, "addresses were compared")
        result = self.contained("run", "--isolation=exec", "--reduction=none", "--max-schedules=1500", program)
        result.require_status(OK)
        result.require("Most come from" not in result.text, "addresses of several processes are taken for places")

    def build(self, name, text, *arguments, compiler="gcc"):
        """The program of this C source, in the scratch folder."""
        source, built = self.scratch.path(name + ".c"), self.scratch.path(name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [compiler, "-g", source, "-o", built, "-pthread", *arguments]
        harness.run(command, self.scratch.folder).require_status(0)
        return built

    def both(self, *arguments):
        """A run inside and outside of the container: what it says of what was run must be the same. Several workers
        need not take the same number of schedules."""
        inside, outside = self.contained("run", *arguments), self.scratch.heddle("run", *arguments)
        more = "[^(.]*" if "-j2" in arguments else "[^)]*"
        proved = [re.search("Proved: every (fair )?schedule" + more, result.text) for result in (inside, outside)]
        inside.require_says("address randomization could not be switched off")
        inside.require(inside.status == outside.status, f"status {outside.status} outside")
        texts = [found.group(0) if found else None for found in proved]
        inside.require(texts[0] == texts[1] is not None, f"outside: {texts[1]}, inside: {texts[0]}")
        return inside

    def test_races_in_processes_with_other_addresses(self):
        """Places that race are scheduling points wherever their file lies: in the next process, and in each."""
        program = self.build("race", RACE, compiler=harness.program("heddle-cc"))
        for isolation in ("auto", "fork", "exec"):
            for workers in ("-j1", "-j2") if isolation == "exec" else ("-j1",):
                result = self.both(f"--isolation={isolation}", workers, "--keep-going", program)
                result.require_status(BUG)
                result.require_says("2 bugs found", "2 places that race")
                result.require(result.text.count("run again in a fresh process: reproduced") == 2, "not reproduced")
                result = self.both(f"--isolation={isolation}", workers, "--keep-going", "--races=report", program)
                result.require_status(BUG)
                result.require_says("Bug 1: assertion", "run again in a fresh process: reproduced")
                result.require(result.text.count("data race:") == 1, "told of more than once")
                self.contained_replay().require_status(BUG)
                self.scratch.heddle("replay", "--yes").require_status(BUG)

    def test_races_that_do_no_harm_have_a_verdict(self):
        program = self.build("race", RACE.replace("assert(n == 2)", "assert(n >= 1)"),
                             compiler=harness.program("heddle-cc"))
        for isolation in ("auto", "exec"):
            result = self.both(f"--isolation={isolation}", "--races=report", program)
            result.require_status(OK)
            result.require_says("2 places that race")

    def test_races_in_libraries_that_are_loaded_late(self):
        """The races are in libraries that threads load in either order, so at either address, and in their
        constructors."""
        compiler = harness.program("heddle-cc")
        for name in ("one", "other"):
            self.build(f"lib{name}.so", LIBRARY, "-shared", "-fPIC", compiler=compiler)
        program = self.build("loads", LOADS, "-ldl", compiler=compiler)
        for isolation in ("auto", "exec"):
            result = self.both(f"--isolation={isolation}", "--races=report", "--max-preemptions=1", "--keep-going",
                               program)
            result.require_status(BUG)
            result.require_says("Bug 1: assertion", "reproduced")
            self.contained_replay().require_status(BUG)

    def test_code_that_is_in_no_file(self):
        """Where another process has it is not known; so nothing is promised, and that is said."""
        program = self.build("made", MADE, "-ldl", compiler=harness.program("heddle-cc"))
        result = self.scratch.heddle("run", "--races=report", program)
        if "data race:" not in result.text:
            self.skipTest("the accesses of copied code are not seen")
        result = self.contained("run", "--races=report", program)
        result.require_status(NO_VERDICT)
        result.require_says("what comes of their orders was not explored", "in no file")

    def test_what_was_left_out_is_made_up_for_in_other_processes(self):
        """That the accesses to `value` race is seen only in a late schedule: the preemptions before them, which were
        left out in other processes, must be made then."""
        accesses = "".join(f"  SET(two, value, {number});\n" for number in range(1, 321))
        program = self.build("late", LATE.replace("ACCESSES", accesses))
        for isolation in ("exec", "fork"):
            result = self.both(f"--isolation={isolation}", "-j2", "--max-preemptions=1", program)
            result.require_status(BUG)
            result.require_says("Bug 1: assertion")

    def test_objects_are_known_again_in_other_processes(self):
        """Which steps partial-order reduction takes for dependent does not hang on where their objects lie."""
        for name in ("rwlock_upgrade_fixed", "lost_wakeup_fixed", "bank_account_fixed"):
            for isolation in ("exec", "auto"):
                self.both("--search=dpor", f"--isolation={isolation}", "-j1", harness.program("corpus/" + name))

    def test_statements_are_known_by_their_callers_in_each_process(self):
        with open(os.path.join(OPTIONS.source, "tests/e2e/callers.c"), encoding="utf-8") as file:
            program = self.build("callers", file.read())
        learned = []
        for run, name in ((self.scratch.heddle, "here"), (self.contained, "there")):
            result = run("run", "-q", "--isolation=exec", "--context=2", f"--orders={name}", "--search=dpor",
                         program)
            result.require_status(OK)
            with open(self.scratch.path(name), encoding="utf-8") as file:
                learned.append(file.read())
        self.assertIn(" < ", learned[0])
        self.assertEqual(*learned)

    def test_a_kept_search_goes_on_where_it_knows_its_way(self):
        accesses = "".join(f"  SET(two, value, {number});\n" for number in range(1, 321))
        program = self.build("late", LATE.replace("ACCESSES", accesses))
        options = ("--isolation=exec", "-j1", "--max-preemptions=1")
        self.contained("run", *options, "--max-schedules=60", "--save-every=0.1", program).require_says("--resume")
        elsewhere = self.scratch.heddle("run", *options, "--resume", program)
        elsewhere.require_status(NO_VERDICT)
        elsewhere.require_says("where address randomization could not be switched off")
        result = self.contained("run", *options, "--resume", program)
        result.require_status(BUG)
        result.require_says("going on with the search", "Bug 1: assertion")

    def test_places_without_preemptions_in_each_process(self):
        program = self.build("late", LATE.replace("ACCESSES", "SET(two, value, 160);"))
        for rule in ("function:writer", "file:late.c", "function:reader"):
            result = self.both("--isolation=exec", f"--no-preempt={rule}", "--keep-going", program)
            result.require("matched" not in result.text, "the place was not found")

    def test_no_ptrace_of_what_cannot_be_read(self):
        if os.getuid() != 0:
            self.skipTest("only root can hand a file to somebody else")
        private = self.scratch.path("private")
        shutil.copy(harness.program("corpus/bank_account"), private)
        os.chmod(private, 0o711)  # may be executed, not read
        result = self.contained("run", private)
        result.require(result.status in (BUG, harness.USAGE), "neither run nor refused")
        result.require("terminate called" not in result.text and result.text.strip(), "no clear message")


if __name__ == "__main__":
    harness.main()

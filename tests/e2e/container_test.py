# An unprivileged container: no rights, system calls refused as the default seccomp profile of container engines does,
# one processor in the mask, nothing writable but the folder. What is refused falls back with at most a line.
import os
import shutil

import harness
from harness import BUG, NO_VERDICT, OK

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
int main(int count, char** arguments) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(SYS_personality), REFUSE(SYS_userfaultfd), REFUSE(SYS_perf_event_open), REFUSE(SYS_ptrace),
      REFUSE(SYS_process_vm_readv), REFUSE(SYS_kcmp), REFUSE(SYS_unshare), REFUSE(SYS_mount),
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


class Container(harness.TestCase):
    def contained(self, *arguments):
        """heddle with the arguments, in a folder that belongs to nobody (the user), refused as above."""
        source = self.scratch.path("refuse.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(REFUSE)
        built = harness.run(["gcc", source, "-o", self.scratch.path("refuse")], self.scratch.folder)
        built.require_status(0)
        command = [self.scratch.path("refuse"), "taskset", "-c", str(min(os.sched_getaffinity(0))),
                   harness.OPTIONS.heddle, *arguments]
        if os.getuid() == 0:
            os.chmod(self.scratch.folder, 0o777)
            readable = harness.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x",
                                    harness.OPTIONS.heddle], self.scratch.folder)
            if readable.status == 0:
                command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
        return harness.run(command, self.scratch.folder)

    def test_bug_is_found_and_replayed(self):
        for carrier in ("fiber", "thread"):
            for isolation in ("fork", "exec"):
                result = self.contained("run", f"--carrier={carrier}", f"--isolation={isolation}",
                                        harness.program("corpus/bank_account"))
                result.require_status(BUG)
                self.contained("replay").require_status(BUG)

    def test_clean_stays_clean(self):
        result = self.contained("run", "--max-preemptions=2", harness.program("corpus/bank_account_fixed"))
        result.require_status(OK)
        result.require(len(result.text.splitlines()) <= 6, "more than a line on what was refused")

    def test_variables_are_compared_wherever_they_lie(self):
        """Each process has its own addresses; that is no sign that threads learn of each other by something."""
        source, program = self.scratch.path("counts.c"), self.scratch.path("counts")
        with open(source, "w", encoding="utf-8") as file:
            file.write(COUNTS)
        harness.run(["gcc", "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        result = self.contained("run", "--isolation=exec", program)
        result.require_status(OK)
        result.require_says("address randomization could not be switched off", "Every schedule was run")
        result.require("left different memory" not in result.text, "addresses were compared")
        result = self.contained("run", "--isolation=exec", "--reduction=none", "--max-schedules=1500", program)
        result.require_status(OK)
        result.require("Most come from" not in result.text, "addresses of several processes are taken for places")

    def test_races_in_processes_with_other_addresses(self):
        """A race is known again by its places in the file; as scheduling points they would be no places there."""
        source = self.scratch.path("race.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <assert.h>\n#include <pthread.h>\nstatic int n;\n"
                       "static void* count(void* unused) { n = n + 1; return unused; }\n"
                       "int main(void) {\n  pthread_t threads[2];\n"
                       "  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, count, NULL);\n"
                       "  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);\n  assert(n == 2);\n}\n")
        program = self.scratch.path("race")
        harness.run([harness.program("heddle-cc"), "-g", source, "-o", program, "-pthread"],
                    self.scratch.folder).require_status(0)
        for isolation in ("auto", "exec"):
            result = self.contained("run", f"--isolation={isolation}", program)
            result.require_status(BUG)
            result.require_says("run again in a fresh process: reproduced")
            self.contained("replay").require_status(BUG)
            result = self.contained("run", f"--isolation={isolation}", "--races=report", program)
            result.require_status(NO_VERDICT)
            result.require_says("what comes of their orders was not explored")

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

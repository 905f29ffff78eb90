# Every wrong input: one clear message, the status fixed in a table, nothing lost. The table is EXPECTED.
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import time

import harness
from harness import BUG, INTERNAL, INTERRUPTED, NO_VERDICT, OK, USAGE

# what: (exit status, words that the message must hold)
EXPECTED = {
    "missing": (USAGE, ["no-such-program"]),
    "not_executable": (USAGE, ["executed", "chmod +x"]),
    "directory": (USAGE, ["directory"]),
    "static": (USAGE, ["static"]),
    "other_architecture": (USAGE, ["x86-64"]),
    "set_user_id": (USAGE, ["set-user-id"]),
    "thread_sanitizer": (USAGE, ["ThreadSanitizer"]),
    "memory_sanitizer": (USAGE, ["MemorySanitizer"]),
    "no_program": (USAGE, ["PROGRAM"]),
    "unknown_option": (USAGE, ["--no-such-option"]),
    "suppressions": (USAGE, ["--suppressions", ":2:", "race:NAME"]),
    "suppressions_folder": (USAGE, ["--suppressions", "/tmp", "folder"]),
    "report_nowhere": (USAGE, ["--json", "/no/such/folder/report", "No such file"]),
    "log_into_folder": (USAGE, ["--execution-log", "Is a directory"]),
    "no_preempt": (USAGE, ["--no-preempt", "class:Queue", "function:NAME"]),
    "no_preempt_random": (USAGE, ["--no-preempt", "--search=bounded"]),
    "max_preemptions_unfit": (USAGE, ["--max-preemptions", "use --search=bounded"]),
    "reduction_unfit": (USAGE, ["--reduction", "use --search=bounded"]),
    "output_folder": (USAGE, ["-o"]),
    "truncated_trace": (USAGE, ["trace"]),
    "edited_trace": (USAGE, ["trace"]),
    "other_version": (USAGE, ["version"]),
    "missing_trace": (USAGE, ["no-such.trace"]),
    "no_thread": (NO_VERDICT, ["without creating a thread"]),
    "crash_before_threads": (NO_VERDICT, ["before"]),
    "start_not_reached": (NO_VERDICT, ["without calling", "--start-at"]),
}


def compile_c(scratch, name, text, *options, compiler="gcc"):
    source = scratch.path(name + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    built = harness.run([compiler, "-g", "-pthread", *options, source, "-o", scratch.path(name)], scratch.folder)
    return scratch.path(name) if built.status == 0 else None


OUT_OF_RANGE = ["--max-preemptions=-1", "--max-schedules=0", "--max-steps=0", "--time=soon", "--time=-1s", "--seed=x",
                "--execution-timeout=0s", "--search=clever", "--carrier=pigeon", "--isolation=none", "--clock=sundial",
                "--early-timeouts=maybe", "--python=lines", "--spurious-wakeups=-1", "--output=some", "--ok-exit=300",
                "--require-bound=-1", "--regressions=maybe", "--color=blue"]

ONE_THREAD = """#include <pthread.h>
#include <stdio.h>
static void* work(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
"""


# Denies two system calls to the command that follows their numbers.
DENIES_CALLS = """#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char** words) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(words[1]), 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(words[2]), 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1)};
  struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program)) return 99;
  execv(words[3], words + 3);
  return 98;
}
"""


# Of what its argument names, so much as a limit allows.
NEEDS = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* work(void* unused) { return pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex), unused; }
int main(int count, char** words) {
  pthread_t threads[3];
  const int wanted = strcmp(words[1], "threads") == 0 ? 3 : 1;
  for (int i = 0; i < wanted; ++i) assert(pthread_create(&threads[i], 0, work, 0) == 0);
  for (int i = 0; i < wanted; ++i) pthread_join(threads[i], 0);
  if (strcmp(words[1], "files") == 0)
    for (int i = 3; i < 18; ++i) assert(open("/dev/null", O_RDONLY) >= 0);
  for (int i = 0; i < 3 && strcmp(words[1], "processes") == 0; ++i) {
    const int child = fork();
    assert(child >= 0);
    if (child == 0) _exit(0);
  }
  while (wait(0) > 0) {
  }
  return count - 2;
}
"""


class BadInput(harness.TestCase):
    def expect(self, what, result):
        status, words = EXPECTED[what]
        result.require_status(status)
        result.require_says(*words)
        result.require(len(result.text.strip().splitlines()) <= 6, "more than one clear message")

    def bank_account(self):
        return harness.program("corpus/bank_account")

    def found(self):
        """A bug's trace to do things to."""
        result, report = self.scratch.run_heddle(self.bank_account())
        result.require_status(BUG)
        return harness.trace_of(report, self.scratch)

    # --- programs that can't be run

    def test_missing(self):
        self.expect("missing", self.scratch.heddle("run", "./no-such-program"))

    def test_not_executable(self):
        path = self.scratch.path("plain.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("words\n")
        os.chmod(path, 0o644)
        self.expect("not_executable", self.scratch.heddle("run", path))

    def test_directory(self):
        self.expect("directory", self.scratch.heddle("run", self.scratch.folder))

    def test_static(self):
        path = compile_c(self.scratch, "static", ONE_THREAD, "-static")
        self.assertIsNotNone(path)
        self.expect("static", self.scratch.heddle("run", path))

    def test_other_architecture(self):
        path = self.scratch.path("foreign")
        shutil.copy(self.bank_account(), path)
        with open(path, "r+b") as file:
            file.seek(18)  # e_machine
            file.write(b"\xb7\x00")  # AArch64
        self.expect("other_architecture", self.scratch.heddle("run", path))

    def test_set_user_id(self):
        path = self.scratch.path("privileged")
        shutil.copy(self.bank_account(), path)
        os.chmod(path, stat.S_ISUID | 0o755)
        self.expect("set_user_id", self.scratch.heddle("run", path))

    def test_thread_sanitizer(self):
        path = compile_c(self.scratch, "tsan", ONE_THREAD, "-fsanitize=thread")
        if path is None:
            self.skipTest("libtsan is not installed")
        self.expect("thread_sanitizer", self.scratch.heddle("run", path))

    def test_memory_sanitizer(self):
        path = compile_c(self.scratch, "msan", ONE_THREAD, "-fsanitize=memory", compiler="clang")
        if path is None:
            self.skipTest("clang has no MemorySanitizer here")
        self.expect("memory_sanitizer", self.scratch.heddle("run", path))

    def test_start_not_reached(self):
        source = ONE_THREAD.replace("int main(void) {", "void never_called(void) {}\nint main(void) {")
        path = compile_c(self.scratch, "starts_elsewhere", source)
        self.expect("start_not_reached", self.scratch.heddle("run", "--start-at=never_called", path))

    # --- wrong use

    def test_no_program(self):
        self.expect("no_program", self.scratch.heddle("run"))

    def test_unknown_option(self):
        self.expect("unknown_option", self.scratch.heddle("run", "--no-such-option", self.bank_account()))

    def test_no_subcommand(self):
        result = self.scratch.heddle()
        result.require_status(USAGE)
        result.require_says("run")

    def test_options_out_of_range(self):
        for option in OUT_OF_RANGE:
            with self.subTest(option):
                result = self.scratch.heddle("run", option, self.bank_account())
                result.require_status(USAGE)
                result.require_says(option.split("=")[0])
                result.require("terminate called" not in result.text, "ended by an exception")

    def test_program_options_are_the_programs(self):
        result, report = self.scratch.run_heddle(self.bank_account(), "--seed=x", "--help")
        result.require_status(BUG)
        self.assertIsNotNone(report)

    # --- programs that give no verdict

    def test_no_thread(self):
        self.expect("no_thread", self.scratch.heddle("run", harness.program("corpus/no_thread")))

    def test_crash_before_threads(self):
        self.expect("crash_before_threads", self.scratch.heddle("run", harness.program("corpus/crash_before_threads")))

    def test_require_bound_not_proved(self):
        result, report = self.scratch.run_heddle("--require-bound=3", "--max-schedules=20",
                                                 harness.program("corpus/philosophers_ordered"))
        result.require_status(NO_VERDICT)
        result.require(report["verdict"] == "none", "the JSON report tells otherwise")
        result.require("was not proved: allow more with --max-schedules" in result.text, "it doesn't say what it lacks")

    def test_require_bound_of_a_random_search(self):
        result = self.scratch.heddle("run", "--search=random", "--require-bound=0",
                                     harness.program("corpus/philosophers_ordered"))
        result.require_status(USAGE)
        result.require("--search=random proves no bound" in result.text, "it does not say why")

    def test_schedules_that_dpor_loses_leave_no_verdict(self):
        """Whatever else it has found or could find: it has promised nothing then."""
        result, report = self.scratch.run_heddle("--search=dpor", harness.program("corpus/futex_lock"))
        result.require_status(NO_VERDICT)
        result.require(report["lost_coverage"] > 0, "no schedule was lost")

    def test_killed_from_outside(self):
        source = """#include <pthread.h>
#include <stdlib.h>
static void* work(void* unused) {
  system("kill -9 $PPID");
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
"""
        path = compile_c(self.scratch, "is_killed", source)
        result, _ = self.scratch.run_heddle("--time=5s", path, timeout_s=30)
        result.require_status(NO_VERDICT)
        result.require_says("killed")

    # --- the surroundings

    def test_standard_input_used(self):
        source = """#include <pthread.h>
#include <stdio.h>
static void* work(void* unused) { return unused; }
int main(void) {
  pthread_t thread;
  char line[8];
  if (fgets(line, sizeof line, stdin) == NULL) puts("nothing to read");
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);
  return 0;
}
"""
        result, _ = self.scratch.run_heddle(compile_c(self.scratch, "reads_input", source))
        result.require_status(OK)

    def test_existing_preload_is_kept(self):
        compile_c(self.scratch, "library.so", "int marker(void) { return 7; }\n", "-shared", "-fPIC")
        source = ONE_THREAD.replace("int main(void) {", """#include <dlfcn.h>
int main(void) {
  if (!dlsym(RTLD_DEFAULT, "marker")) return 9;""")
        path = compile_c(self.scratch, "wants_preload", source, "-D_GNU_SOURCE")
        environment = dict(os.environ, LD_PRELOAD=self.scratch.path("library.so"))
        result = harness.run([harness.OPTIONS.heddle, "run", path], self.scratch.folder, env=environment)
        result.require_status(OK)

    def test_no_debug_information(self):
        path = self.scratch.path("stripped")
        harness.run(["strip", "-o", path, self.bank_account()], self.scratch.folder)
        result, report = self.scratch.run_heddle(path)
        result.require_status(BUG)
        shown = self.scratch.heddle("show")
        shown.require_status(OK)
        shown.require_says("stripped")

    def test_output_folder_not_writable(self):
        for folder in ("/proc/heddle-out", "/dev/null/out"):
            result = self.scratch.heddle("run", "-o", folder, self.bank_account())
            self.expect("output_folder", result)
            result.require_says(folder)

    def test_no_preempt(self):
        self.expect("no_preempt", self.scratch.heddle("run", "--no-preempt=class:Queue", self.bank_account()))
        self.expect("no_preempt_random", self.scratch.heddle("run", "--search=random", "--no-preempt=function:f",
                                                             self.bank_account()))

    def test_options_that_the_search_would_ignore(self):
        for search in ("--search=random", "--search=dpor"):
            for what, option in (("max_preemptions_unfit", "--max-preemptions=2"),
                                 ("reduction_unfit", "--reduction=none"), ("reduction_unfit", "--reduction=states")):
                self.expect(what, self.scratch.heddle("run", search, option, self.bank_account()))

    def test_suppressions_that_are_a_folder(self):
        self.expect("suppressions_folder", self.scratch.heddle("run", "--suppressions=/tmp", self.bank_account()))

    def test_suppressions(self):
        path = self.scratch.path("suppressions")
        with open(path, "w", encoding="utf-8") as file:
            file.write("race:fine\nwhat is this\n")
        self.expect("suppressions", self.scratch.heddle("run", "--suppressions=" + path, self.bank_account()))

    def test_threads_without_end(self):
        for search in ("bounded", "dpor"):
            result, report = self.scratch.run_heddle(f"--search={search}", "--max-steps=30000", "--time=100s",
                                                     "--execution-timeout=60s",  # where threads are dear to make
                                                     harness.program("corpus/threads_without_end"), "more")
            result.require_status(harness.NO_VERDICT)
            result.require_says("Does the program create threads without end?", "did not end within 30000 steps")
            self.assertEqual(report["bugs"], [])

    def test_races_that_can_not_be_looked_for(self):
        """No address space for the detector: the run says so, and claims nothing of races."""
        run = harness.run(["/bin/sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", harness.OPTIONS.heddle, "run",
                           harness.program("corpus/race_counter")], self.scratch.folder)
        run.require_status(harness.OK)
        run.require_says("data races are not looked for: there is no address space for it", "Not checked: data races.")
        run.require("not looked at for races" not in run.text, "it claims that the rest was looked at for races")

    def test_what_can_not_be_started_says_why(self):
        """In the verdict itself, not only in what the program printed."""
        for limit in ("-v 200000", "-d 10000"):
            result = harness.run(["/bin/sh", "-c", f'ulimit {limit}; exec "$@"', "sh", harness.OPTIONS.heddle, "run",
                                  harness.program("corpus/bank_account")], self.scratch.folder)
            result.require_status(NO_VERDICT)
            result.require_says("No verdict: the program can't run under Heddle: no address space left")
        for name, text in (("missing.c", "void missing(void) {}\n"),
                           ("needs.c", "void missing(void);\nint main(void) { missing(); return 0; }\n")):
            with open(self.scratch.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        for command in ("gcc -shared -fPIC missing.c -o libmissing.so", "gcc -g needs.c -o needs -L. -lmissing"):
            harness.run(command.split(), self.scratch.folder).require_status(OK)
        result = self.scratch.heddle("run", self.scratch.path("needs"))
        result.require_status(NO_VERDICT)
        result.require_says("No verdict: the program could not be started: error while loading shared libraries: lib")

    def test_a_hundred_threads(self):
        for search in ("bounded", "dpor", "random"):
            result, report = self.scratch.run_heddle(f"--search={search}", "--max-schedules=50", "--time=100s",
                                                     harness.program("corpus/threads_without_end"))
            result.require_status(harness.OK)
            self.assertEqual((report["schedules"], report["tasks_max"]), (50, 101))

    def test_more_choices_than_can_be_remembered(self):
        """A thousand threads, 75,000 steps. What need not remember each choice goes on, and says what was left out."""
        program = [harness.program("corpus/threads_without_end"), "1000", "36"]
        for search in ("bounded", "dpor"):
            result, _ = self.scratch.run_heddle(f"--search={search}", "--time=100s", *program)
            result.require_status(harness.NO_VERDICT)
            result.require_says("one schedule has 1001 threads", "this search can't remember so many choices")
        result, report = self.scratch.run_heddle("--search=bounded", "--max-preemptions=0", "--max-schedules=3",
                                                 "--time=100s", *program)
        result.require_status(harness.OK)
        self.assertEqual((report["schedules"], report["tasks_max"]), (3, 1001))
        result.require_says("1,000 threads that don't wait for each other have 10^2567 of these")
        result, report = self.scratch.run_heddle("--search=auto", "--max-schedules=6", "--time=100s", *program)
        result.require_status(harness.OK)
        self.assertEqual((report["schedules"], report["tasks_max"]), (6, 1001))
        result.require_says("walks and delays go on")

    def test_the_library_is_nowhere(self):
        """Each path that was tried is named, with what is wrong there."""
        copy = self.scratch.path("bin/heddle")
        os.mkdir(self.scratch.path("bin"))
        os.mkdir(self.scratch.path("bin/libheddle.so"))
        shutil.copy(harness.OPTIONS.heddle, copy)
        result = harness.run([copy, "run", self.bank_account()], self.scratch.folder)
        result.require_status(USAGE)
        result.require_says("libheddle.so was not found", "/bin/libheddle.so: it is a directory",
                            "/lib/heddle/libheddle.so: No such file", "/lib64/heddle/libheddle.so: No such file",
                            "HEDDLE_LIBRARY")

    def test_report_nowhere(self):
        self.expect("report_nowhere",
                    self.scratch.heddle("run", "--json=/no/such/folder/report", self.bank_account()))

    def test_log_into_folder(self):
        self.expect("log_into_folder",
                    self.scratch.heddle("run", "--execution-log=" + self.scratch.folder, self.bank_account()))

    def test_log_on_a_full_disk(self):
        """The log is given up, in one line; the bug is kept."""
        result, report = self.scratch.run_heddle("--execution-log=/dev/full", self.bank_account())
        result.require_status(BUG)
        result.require(result.stderr.count("/dev/full can't be written any further, and is cut off") == 1, "not said")
        self.scratch.heddle("replay", harness.trace_of(report, self.scratch)).require_status(BUG)

    def test_output_folder_never_overwritten(self):
        target = self.scratch.path("kept")
        os.mkdir(target)
        with open(os.path.join(target, "precious"), "w", encoding="utf-8") as file:
            file.write("data")
        result = self.scratch.heddle("run", "-o", target, self.bank_account())
        result.require_says(f"{target} is not empty: bugs are kept in {target}-2")
        self.assertEqual(open(os.path.join(target, "precious"), encoding="utf-8").read(), "data")

    def test_full_disk(self):
        """The folder is on a disk of one page: the bug is told all the same, with a line on what could not be kept."""
        disk = self.scratch.path("disk")
        os.mkdir(disk)
        script = (f"mount -t tmpfs -o size=4k,nr_inodes=16 none {disk} || exit 77; cd {disk}; "
                  f"exec {harness.OPTIONS.heddle} run ")
        result = harness.run(["unshare", "-m", "sh", "-c", script + self.bank_account()], self.scratch.folder)
        if result.status == 77 or "unshare" in result.stderr:
            self.skipTest("mounting is not allowed here")
        result.require_status(BUG)
        result.require_says("No space left")

    def test_files_may_not_grow(self):
        """Not even shared memory can be made then: one line, not a crash."""
        def forbid_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
        result = harness.run([harness.OPTIONS.heddle, "run", self.bank_account()], self.scratch.folder,
                             preexec_fn=forbid_files)
        result.require_status(USAGE)
        result.require_says("File too large", "ulimit -f")

    def test_few_descriptors(self):
        """Whatever is the first that can't be opened."""
        for most in range(4, 14):
            def limit(most=most):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            result = harness.run([harness.OPTIONS.heddle, "run", self.bank_account()], self.scratch.folder,
                                 preexec_fn=limit)
            if result.status != BUG:
                result.require("Bad file descriptor" not in result.text, "it names another reason")
                result.require_says("ulimit -n")

    def test_fewer_than_heddle_needs(self):
        """What would be enough without Heddle is no bug: so many threads, processes and files."""
        source = self.scratch.path("needs.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(NEEDS)
        harness.run(["gcc", "-g", "-pthread", source, "-o", self.scratch.path("needs")],
                    self.scratch.folder).require_status(OK)
        self.require_no_bug("files", ["prlimit", "--nofile=18"], "the program may open no more files (ulimit -n)")
        if os.getuid() != 0:
            return  # others have processes already
        os.chmod(self.scratch.folder, 0o777)
        user = ["setpriv", "--reuid=34567", "--regid=34567", "--clear-groups"]
        if harness.run([*user, "test", "-x", harness.OPTIONS.heddle], self.scratch.folder).status != OK:
            return
        for what in ("threads", "processes"):
            said = "".join(self.require_no_bug(what, [*user, "prlimit", f"--nproc={most}"]) for most in range(4, 9))
            self.assertIn(f"the system allows no more {what} (ulimit -u)", said)

    def require_no_bug(self, what, limit, text="heddle"):
        """The limit is enough natively."""
        program = [self.scratch.path("needs"), what]
        harness.run([*limit, *program], self.scratch.folder).require_status(OK)
        said = ""
        for carrier in ("fiber", "thread"):
            result = harness.run([*limit, harness.OPTIONS.heddle, "run", f"--carrier={carrier}", "--max-preemptions=0",
                                  "-o", self.scratch.path(f"{what}-{carrier}"), "--", *program], self.scratch.folder)
            self.assertIn(result.status, (OK, NO_VERDICT), result.text)
            result.require_says(text)
            said += result.text
        return said

    def test_report_into_what_is_no_file(self):
        """A device or a pipe is written to, never replaced by a file."""
        result = self.scratch.heddle("run", "-q", "--json=/dev/stdout", self.bank_account())
        result.require_status(BUG)
        result.require('"verdict"' in result.stdout, "the report is not on standard output")
        if os.getuid() != 0:
            self.skipTest("only root can make a device")
        full = self.scratch.path("full")
        os.mknod(full, stat.S_IFCHR | 0o666, os.makedev(1, 7))  # as /dev/full
        result = self.scratch.heddle("run", f"--json={full}", self.bank_account())
        result.require_status(BUG)
        result.require(stat.S_ISCHR(os.stat(full).st_mode), "the device was replaced by a file")
        result.require_says(full)

    def test_no_link_is_followed(self):
        """Somebody has put links where Heddle writes; what they lead to stays as it is."""
        precious = self.scratch.path("precious")
        with open(precious, "w", encoding="utf-8") as file:
            file.write("data")
        os.mkdir(self.scratch.path("heddle-out"))
        for name in ("link", "heddle-out/bank_account.state", "heddle-out/bank_account.state.new", "heddle-out/latest"):
            os.symlink(precious, self.scratch.path(name))
        for option in ("--json=link", "--execution-log=link"):
            result = self.scratch.heddle("run", option, self.bank_account())
            result.require_status(USAGE)
            result.require_says("is a link", "name the file that is meant")
        arguments = ("run", "--keep-going", "--save-every=1ms", "--max-schedules=3000", "--search=random")
        self.scratch.heddle(*arguments, self.bank_account()).require_status(BUG)
        self.assertEqual(open(precious, encoding="utf-8").read(), "data")

    def test_only_the_user_can_read_what_is_written(self):
        old = os.umask(0)
        try:
            self.scratch.heddle("run", "--json=report", "--execution-log=log", "--search=random", "--keep-going",
                                "--max-schedules=3000", "--save-every=1ms", self.bank_account()).require_status(BUG)
        finally:
            os.umask(old)
        written = [self.scratch.path(name) for name in ("report", "log")]
        for folder, _, names in os.walk(self.scratch.path("heddle-out")):
            self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700, folder)
            written += [os.path.join(folder, name) for name in names]
        self.assertGreater(len(written), 4)
        for path in written:
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)

    def test_report_to_a_standard_output_that_takes_nothing(self):
        for output, words in ((">/dev/full", "No space left"), (">&-", "Bad file descriptor")):
            for program, status in (("corpus/abba_ordered", USAGE), ("corpus/bank_account", BUG)):
                command = f"exec {harness.OPTIONS.heddle} run --json=- {harness.program(program)} {output}"
                result = harness.run(["sh", "-c", command], self.scratch.folder)
                result.require_status(status)
                result.require_says("heddle: could not write to standard output: " + words)

    def test_results_to_a_standard_output_that_takes_nothing(self):
        """Whatever the command: a result that nobody can have read is no success. What was found stays found."""
        bug, clean = self.bank_account(), harness.program("corpus/abba_ordered")
        self.scratch.heddle("run", bug).require_status(BUG)
        commands = (("run " + clean, USAGE), ("run " + bug, BUG), ("show", USAGE), ("replay", BUG), ("--help", USAGE),
                    ("version", USAGE), ("run --help", USAGE))
        for output, words in ((">/dev/full", "No space left"), (">&-", "Bad file descriptor")):
            for arguments, status in commands:
                command = f"exec {harness.OPTIONS.heddle} {arguments} {output}"
                result = harness.run(["sh", "-c", command], self.scratch.folder)
                result.require_status(status)
                result.require(result.stderr.count("heddle: could not write to standard output: " + words) == 1,
                               "not said once")
        # A reader that has seen enough is no fault.
        command = f"{harness.OPTIONS.heddle} run {clean} | true; exit ${{PIPESTATUS[0]}}"
        harness.run(["bash", "-c", command], self.scratch.folder).require_status(OK)

    def test_an_end_that_nobody_can_wait_for_proves_nothing(self):
        """A filter denies system calls: one way to wait is enough, and without any there is no claim."""
        source, deny = self.scratch.path("deny.c"), self.scratch.path("deny")
        with open(source, "w", encoding="utf-8") as file:
            file.write(DENIES_CALLS)
        harness.run(["gcc", source, "-o", deny], self.scratch.folder).require_status(0)
        wait4, waitid = 61, 247
        for isolation in ("auto", "fork", "exec"):
            for denied in ((wait4, wait4), (waitid, waitid), (wait4, waitid)):
                command = [deny, *denied, harness.OPTIONS.heddle, "run", "--time=5s", f"--isolation={isolation}",
                           self.bank_account()]
                result = harness.run(command, self.scratch.folder)
                if denied != (wait4, waitid):
                    result.require_status(BUG)
                result.require("every schedule" not in result.text or result.status == BUG, "a claim")
                result.require(result.status != OK, "it looks like a success")

    def test_no_stray_files_when_clean(self):
        before = set(os.listdir(self.scratch.folder))
        result = self.scratch.heddle("run", harness.program("corpus/abba_ordered"))
        result.require_status(OK)
        self.assertEqual(set(os.listdir(self.scratch.folder)), before)

    def interrupt(self, *arguments, when):
        """A run that gets SIGINT once this path below the scratch folder has something in it; status and output."""
        path = self.scratch.path(when)
        process = subprocess.Popen([harness.OPTIONS.heddle, "run", "--time=10m", "--search=random", *arguments],
                                   cwd=self.scratch.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while process.poll() is None and not (os.path.exists(path) and os.path.getsize(path) > 0):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=60)[0]
        return process.returncode, output

    def test_interrupted(self):
        status, output = self.interrupt("--execution-log=log", harness.program("corpus/philosophers_ordered"),
                                        when="log")
        self.assertEqual(status, INTERRUPTED, output)
        self.assertRegex(output, "interrupted")

    def test_interrupted_keeps_bugs(self):
        status, output = self.interrupt("--keep-going", harness.program("corpus/philosophers"),
                                        when="heddle-out/philosophers-1/bug-1.txt")
        self.assertEqual(status, BUG, output)
        self.scratch.heddle("replay").require_status(BUG)

    # --- traces

    def test_truncated_trace(self):
        trace = self.found()
        with open(trace, "rb") as file:
            content = file.read()
        for keep in (0, 1, len(content) // 2, len(content) - 1):
            cut = self.scratch.path(f"cut-{keep}.trace")
            with open(cut, "wb") as file:
                file.write(content[:keep])
            if keep == len(content) - 1:  # only the last newline is gone: nothing is lost
                continue
            self.expect("truncated_trace", self.scratch.heddle("replay", cut))
            self.expect("truncated_trace", self.scratch.heddle("show", cut))

    def test_edited_trace(self):
        trace = self.found()
        with open(trace, encoding="utf-8") as file:
            lines = file.readlines()
        edited = self.scratch.path("edited.trace")
        for second in (lines[1].replace('"', "'"), "[]\n", "{}\n", "null\n"):
            with open(edited, "w", encoding="utf-8") as file:
                file.writelines([lines[0], second, *lines[2:]])
            self.expect("edited_trace", self.scratch.heddle("replay", edited))

    def test_trace_of_other_version(self):
        trace = self.found()
        with open(trace, encoding="utf-8") as file:
            text = file.read()
        later = self.scratch.path("later.trace")
        with open(later, "w", encoding="utf-8") as file:
            file.write(re.sub(r'"heddle_trace":\s*\d+', '"heddle_trace":999', text, count=1))
        self.expect("other_version", self.scratch.heddle("replay", later))

    def test_missing_trace(self):
        self.expect("missing_trace", self.scratch.heddle("replay", "no-such.trace"))

    def test_replay_without_anything(self):
        result = self.scratch.heddle("replay")
        result.require_status(USAGE)
        result.require_says("heddle run")

    def test_program_gone(self):
        copy = self.scratch.path("gone")
        shutil.copy(self.bank_account(), copy)
        result, report = self.scratch.run_heddle(copy)
        result.require_status(BUG)
        os.remove(copy)
        replay = self.scratch.heddle("replay")
        replay.require_status(USAGE)
        replay.require_says(copy)

    def test_name_of_any_bytes(self):
        """JSON holds Unicode only, but what is replayed has the name that it has."""
        path = os.fsencode(self.scratch.path("bank-")) + b"\xfc"
        shutil.copy(self.bank_account(), path)
        result, report = self.scratch.run_heddle(os.fsdecode(path))
        result.require_status(BUG)
        result.require(report["command"][0].endswith("bank-\ufffd"), "the report has another name")
        self.scratch.heddle("replay").require_status(BUG)
        self.scratch.heddle("show").require_status(OK)

    def test_version_mismatch_is_no_crash(self):
        result = self.scratch.heddle("--version")
        result.require_status(OK)
        result.require(re.search(r"\d+\.\d+", result.stdout), "no version")
        self.assertNotEqual(result.status, INTERNAL)


if __name__ == "__main__":
    harness.main()

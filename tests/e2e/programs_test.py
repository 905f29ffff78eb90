# Real programs, as their distributors built them: Poco, GoogleTest, pigz, zstd.
import os
import random
import shutil
import subprocess
import sys

import corpus
import harness
from harness import BUG, NO_VERDICT, OK, USAGE
from isolation_test import source_of


class Programs(harness.TestCase):
    def example(self, name):
        path = harness.program(f"examples/{name}")
        if not os.path.exists(path):
            self.skipTest(f"{name} was not built: its library is not installed")
        return path

    def test_three_on_treibers_stack(self):
        """On snapshots only: 25,680 forks, or more, take a minute."""
        corpus.check_clean(self.scratch, corpus.Head(source_of("treiber_3")), "fiber")

    def test_poco(self):
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle(f"--carrier={carrier}", "--max-preemptions=2",
                                                     self.example("poco_notification_queue"))
            result.require_status(BUG)
            bug = report["bugs"][0]
            self.assertEqual(bug["kind"], "deadlock")
            result.require(bug["preemptions"] <= 2, "needs more than two preemptions")
            self.scratch.heddle("replay").require_status(BUG)
            shown = self.scratch.heddle("show", "--full")
            shown.require_says("poco_notification_queue.cpp")

    def test_googletest_flaky(self):
        result, report = self.scratch.run_heddle(self.example("googletest"), "--gtest_filter=Queue.Drains")
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["kind"], "assertion")
        result.require_says("the producer's item is missing", "googletest.cpp")
        self.scratch.heddle("replay").require_status(BUG)

    def test_googletest_passing(self):
        for name in ("HandsOver", "KeepsOrder"):
            result, report = self.scratch.run_heddle(self.example("googletest"), f"--gtest_filter=Queue.{name}")
            result.require_status(OK)
            self.assertTrue(report["complete"] or report["preemption_bound_proved"] >= 2)

    def test_googletest_all_at_once(self):
        result, _ = self.scratch.run_heddle("--max-preemptions=1", self.example("googletest"))
        result.require_says("--gtest_filter=Queue.HandsOver", "--gtest_filter=Queue.Drains")

    def test_googletest_no_match(self):
        result, _ = self.scratch.run_heddle(self.example("googletest"), "--gtest_filter=No.Such")
        result.require_status(NO_VERDICT)

    def test_googletest_no_threads(self):
        result, _ = self.scratch.run_heddle(self.example("googletest"), "--gtest_filter=Arithmetic.*")
        result.require_status(NO_VERDICT)

    def round_trip(self, tool, compress, packed, size):
        """Compresses under random schedules: no alarm, and the last file written unpacks to what went in."""
        path = shutil.which(tool)
        if path is None:
            self.skipTest(f"{tool} is not installed")
        data = self.scratch.path("data")
        chooser = random.Random(1)
        words = [bytes(chooser.choices(b"abcdefgh", k=chooser.randint(2, 9))) for _ in range(500)]
        with open(data, "wb") as file:
            file.write(b" ".join(chooser.choice(words) for _ in range(size // 6))[:size])
        # By itself heddle would start it afresh in a folder of its own each time, since it writes a file.
        alone, first = self.scratch.run_heddle("--search=random", "--max-schedules=10", "--", path, *compress)
        alone.require_status(OK)
        self.assertEqual(first["isolation"], "exec")
        result, report = self.scratch.run_heddle("--search=random", "--max-schedules=200", "--time=240s",
                                                 "--isolation=fork", "--", path, *compress, timeout_s=400)
        result.require_status(OK)
        self.assertEqual(report["schedules"], 200)
        self.assertGreater(report["tasks_max"], 2)
        with open(data, "rb") as before:
            unpacked = subprocess.run([path, "-d", "-c", self.scratch.path(packed)], capture_output=True, check=True)
            self.assertTrue(before.read() == unpacked.stdout, "not the same content")

    def test_pigz(self):
        self.round_trip("pigz", ["-p3", "-k", "-f", "data"], "data.gz", 800_000)  # seven blocks

    def test_zstd(self):
        self.round_trip("zstd", ["-T3", "-f", "-q", "-B131072", "data", "-o", "data.zst"],
                        "data.zst", 2_000_000)

    def test_script_is_followed(self):
        script = self.scratch.path("wrapper.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntrue\nexec {harness.program('corpus/bank_account')} \"$@\"\n")
        os.chmod(script, 0o755)
        result, report = self.scratch.run_heddle(script)
        result.require_status(BUG)
        result.require(result.status != USAGE, "a script is a program")
        self.assertEqual(report["bugs"][0]["kind"], "assertion")
        self.scratch.heddle("replay").require_status(BUG)

    def test_scripts_are_told_of_failures(self):
        """`./test && deploy` deploys nothing that fails, also where no execution has a status of its own."""
        script = self.scratch.path("deploy.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{harness.program('corpus/abba_deadlock')} && echo > deployed\n")
        os.chmod(script, 0o755)
        for isolation in ("snapshot", "fork"):  # under exec the first executions may pass
            result, _ = self.scratch.run_heddle(f"--isolation={isolation}", "-j1", script)
            result.require_status(BUG)
            result.require(not os.path.exists(self.scratch.path("deployed")), f"{isolation}: deployed")
        self.scratch.heddle("replay").require_status(BUG)
        self.assertFalse(os.path.exists(self.scratch.path("deployed")), "replay: deployed")

    def script(self, *lines):
        path = self.scratch.path("script.sh")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(("#!/bin/sh", *lines)) + "\n")
        os.chmod(path, 0o755)
        return path

    def test_which_of_several_programs_is_explored_is_said(self):
        first, other = harness.program("corpus/bank_account_fixed"), harness.program("corpus/bank_account")
        script = self.script(first, other)
        result, _ = self.scratch.run_heddle(script)
        result.require_says(f"what is explored is {first}, the first program to create a thread")
        link = self.scratch.path("link_to_it")
        os.symlink(other, link)
        for name in ("bank_account", other, link):
            result, _ = self.scratch.run_heddle(f"--target={name}", script)
            result.require_status(BUG)
            result.require("what is explored" not in result.text, "it was named")
        self.scratch.run_heddle("--target=link_to_it", self.script(first, link))[0].require_status(BUG)
        result, _ = self.scratch.run_heddle(first)
        result.require("what is explored" not in result.text, "there is no other")

    def test_a_program_that_is_replaced_meanwhile(self):
        """Here it is the script itself, at its fourth start."""
        starts = self.scratch.path("starts")
        script = self.script(f"echo >> {starts}", f"[ $(wc -l < {starts}) -lt 4 ] || touch $0",
                             f"exec {harness.program('corpus/bank_account_fixed')}")
        result, report = self.scratch.run_heddle("--isolation=exec", "-j1", "--determinism-check=0", script)
        result.require_status(NO_VERDICT)
        result.require_says("is not the file any more that it was when the search began")
        result.require(report["schedules"] >= 3, "what was found before is gone")

    def test_what_is_no_program_is_said(self):
        library = self.scratch.path("library.so")
        shutil.copy(harness.program("libheddle.so"), library)
        os.chmod(library, 0o755)
        for path in (library, "/lib64/ld-linux-x86-64.so.2"):
            result = self.scratch.heddle("run", path)
            result.require_status(USAGE)
            result.require_says("it is a shared library or a loader, not a program")
        with open(harness.program("corpus/bank_account"), "rb") as file:
            content = file.read()
        program = self.scratch.path("program")
        with open(program, "wb") as file:
            file.write(content.replace(b"/lib64/ld-linux-x86-64.so.2", b"/lib64/ld-nowhere-x-64.so.2", 1))
        os.chmod(program, 0o755)
        result = self.scratch.heddle("run", program)
        result.require_status(USAGE)
        result.require_says("what is to load it, /lib64/ld-nowhere", "is not there")

    def test_becoming_another_program_is_said(self):
        for isolation in ("auto", "exec"):
            result, _ = self.scratch.run_heddle(f"--isolation={isolation}", harness.program("corpus/executes_another"))
            result.require_status(OK)
            result.require_says("Not checked: what it did as another program (exec)")
        result, _ = self.scratch.run_heddle("--isolation=fork", harness.program("corpus/bank_account_fixed"))
        result.require("another program" not in result.text, "it did not become one")

    def test_goroutines_are_said_to_be_no_threads(self):
        note = self.scratch.path("note")
        with open(note, "wb") as file:
            file.write(b"by Go")
        program = self.scratch.path("program")
        subprocess.run(["objcopy", f"--add-section=.note.go.buildid={note}",
                        harness.program("corpus/bank_account_fixed"), program], check=True)
        self.scratch.run_heddle(program)[0].require_says("Not checked: orders of goroutines")
        result, _ = self.scratch.run_heddle(harness.program("corpus/bank_account_fixed"))
        result.require("goroutines" not in result.text, "there are none")
        source = self.scratch.path("program.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("#include <pthread.h>\nvoid* work(void*);\n"
                       "#ifdef LIBRARY\nvoid* work(void* unused) { return unused; }\n#else\n"
                       "int main(void) { pthread_t one; return pthread_create(&one, 0, work, 0); }\n#endif\n")
        library = self.scratch.path("libwork.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-DLIBRARY", source, "-o", library], check=True)
        subprocess.run(["objcopy", f"--add-section=.note.go.buildid={note}", library], check=True)
        subprocess.run(["gcc", "-pthread", source, library, "-o", program], check=True)
        self.scratch.run_heddle(program)[0].require_says("Not checked: orders of goroutines")

    def test_a_starter_that_closes_descriptors(self):
        script = self.scratch.path("runner.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!{sys.executable}\nimport subprocess\n"
                       f"subprocess.run(['{harness.program('corpus/bank_account')}'], close_fds=True)\n")
        os.chmod(script, 0o755)
        result, _ = self.scratch.run_heddle("--target=bank_account", script)
        result.require_status(BUG)
        self.scratch.heddle("replay").require_status(BUG)


if __name__ == "__main__":
    harness.main()

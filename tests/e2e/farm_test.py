# Farms with a real nats-server on the loopback interface: whatever happens to workers, server and coordinator, the
# answer is that of one process.
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import farms
import harness
import nats_accounts
from farms import PATIENCE_S, SANDBOX, SERVER, Server, children_of, is_running, wait_until
from harness import BUG, NO_VERDICT, OK, USAGE

# Two threads and a lock, with what the environment says of how often they take it.
BY_ENVIRONMENT = """#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int times;
static void* use(void* unused) {
  for (int i = 0; i < times; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main(void) {
  pthread_t other;
  times = getenv("TIMES") ? atoi(getenv("TIMES")) : 2;
  pthread_create(&other, 0, use, 0);
  use(0);
  return pthread_join(other, 0);
}
"""

# Two threads take turns without waiting for each other. It fails when they have done so ten times, which takes as many
# switches; few schedules with one or two preemptions are in between.
TURNS = """#include <assert.h>
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turns;
static void* take(void* odd) {
  for (int i = 0; i < 8; ++i) {
    pthread_mutex_lock(&mutex);
    if (turns % 2 == (odd != 0)) ++turns;
    pthread_mutex_unlock(&mutex);
  }
  return odd;
}
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, take, &turns);
  take(0);
  pthread_join(other, 0);
  assert(turns < 10);
}
"""

# So many threads that what is left of a shard does not fit in a message.
MANY = """#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void* use(void* unused) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main(void) {
  pthread_t others[200];
  for (int i = 0; i < 200; ++i) pthread_create(&others[i], 0, use, 0);
  for (int i = 0; i < 200; ++i) pthread_join(others[i], 0);
}
"""

# Fails in no schedule, but needs a file.
BY_FILE = """#include <pthread.h>
#include <stdio.h>
static void* nothing(void* unused) { return unused; }
int main(void) {
  int number = 0;
  FILE* file = fopen("data/number", "r");
  if (!file || fscanf(file, "%d", &number) != 1 || number != 42) return 1;
  fclose(file);
  pthread_t other;
  pthread_create(&other, 0, nothing, 0);
  return pthread_join(other, 0);
}
"""

# Fails with a text that is not UTF-8 and clears the screen; with another one where it sees the address of the server.
NO_UTF8 = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static void* nothing(void* unused) { return unused; }
int main(void) {
  pthread_t other;
  pthread_create(&other, 0, nothing, 0);
  pthread_join(other, 0);
  __assert_fail(getenv("HEDDLE_FARM") ? "seen" : "Z\\344hler\\033[2J", "a.c", 1, "main");
}
"""


# Fails, and says what it sees of what a sandbox hides: a file, the network, variables, a process of the user, the
# system's folder for writing.
SPY = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static void* nothing(void* unused) { return unused; }
int main(int count, char** words) {
  char net[64] = "", text[256] = "sees:";
  if (access(words[1], R_OK) == 0) strcat(text, " file");
  if (readlink("/proc/self/ns/net", net, 63) > 0 && !strcmp(net, words[2])) strcat(text, " network");
  if (getenv("SECRET")) strcat(text, " secret");
  if (getenv("SPOKEN")) strcat(text, " spoken");
  if (access(words[3], F_OK) == 0) strcat(text, " process");
  if (access("/usr/lib", W_OK) == 0) strcat(text, " system");
  pthread_t other;
  pthread_create(&other, 0, nothing, 0);
  pthread_join(other, 0);
  __assert_fail(text, "a.c", 1, "main");
}
"""

# Takes what it can in the second schedule: the first one is the probe.
GREEDY = """#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int first;
static void enter(int who) {
  pthread_mutex_lock(&mutex);
  if (!first) first = who;
  pthread_mutex_unlock(&mutex);
}
static void* other(void* unused) {
  enter(2);
  return unused;
}
int main(int count, char** words) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  enter(1);
  pthread_join(thread, 0);
  if (first != 2) return 0;
  for (int i = 0; !strcmp(words[1], "memory") && i < 200; ++i) {
    char* block = mmap(0, 1 << 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return 0;
    memset(block, 1, 1 << 24);
  }
  for (int i = 0; !strcmp(words[1], "processes") && i < 200; ++i)
    if (fork() == 0)
      for (;;) pause();
  for (volatile int i = 0; !strcmp(words[1], "time"); ++i) {
  }
  return 0;
}
"""


def is_of_probe(pid):
    """Runs this process the first schedule alone? The number of its shard is 0 then."""
    with contextlib.suppress(OSError, IndexError), open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
        with open(file.read().split("\0")[2] + "/shard", "rb") as shard:
            return b"\x62id\x00" in shard.read()
    return True


@unittest.skipUnless(SERVER, "nats-server is not installed")
class FarmTest(farms.Farms):
    def farm_in_a_shard(self):
        """A server, a program, the farm that searches it, and its worker, which has begun."""
        server = self.serve()
        program = harness.program("corpus/bounded_queue_one_condition")
        process = self.farm(f"--farm={server.url}", "--max-preemptions=2", "--keep-going", "--", program)
        worker = self.worker(server)
        wait_until(lambda: self.is_in_a_shard(worker, "worker"), "a shard is run")
        return server, program, process, worker

    # --- what is expected

    def of_one_process(self, program, bound, *options):
        self.heddle(None, "run", "-q", "--search=bounded", "--reduction=none", "--symmetry=no", "--stops=0",
                    "--minimize=no", f"--max-preemptions={bound}", "--keep-going", "--json=one.json", *options, "--",
                    program)
        with open(self.scratch.path("one.json"), encoding="utf-8") as file:
            report = json.load(file)
        return {"bound": report["preemption_bound_proved"], "complete": report["complete"],
                "schedules": report["schedules"] - report["schedules_given_up"],
                "classes": report["distinct_executions"], "bugs": sorted(bug["key"] for bug in report["bugs"])}

    def of_farm(self, process, status):
        self.assertEqual(process.wait(timeout=240), status, self.said("output"))
        report = self.scratch.read_report("farm.json", "farm")
        self.assertTrue(report["classes_counted_all"])
        self.assertEqual(report["lost"], 0)
        return {"bound": report["preemption_bound_proved"], "complete": report["complete"],
                "schedules": report["schedules_at_bound"], "classes": report["classes"],
                "bugs": [bug["key"] for bug in report["bugs"]]}

    # --- tests

    def test_the_answer_is_that_of_one_process(self):
        for name, bound, status in (("bank_account", 3, BUG), ("benign_counter_lost", 2, BUG),
                                    ("bakery_without_choosing", 1, OK), ("barrier_phases", 2, OK)):
            program = harness.program("corpus/" + name)
            process = self.farm("-j2", f"--max-preemptions={bound}", "--keep-going", "--", program)
            self.assertEqual(self.of_farm(process, status), self.of_one_process(program, bound), name)

    def test_options_mean_in_parts_of_a_search_what_they_mean_in_the_whole(self):
        for name, bound, options, status in (("dekker", 1, ("--memory=rc11",), OK),
                                             ("peterson", 2, ("--memory=tso",), OK),
                                             ("atomic_queue", 1, ("--patch=yes",), BUG),
                                             ("ticks_beside_deadlock", 1, (), BUG),
                                             ("bank_account", 2, ("--carrier=thread", "--timeouts=late"), BUG)):
            program = harness.program("corpus/" + name)
            process = self.farm("-j2", f"--max-preemptions={bound}", "--keep-going", *options, "--", program)
            self.assertEqual(self.of_farm(process, status), self.of_one_process(program, bound, *options), name)

    def test_a_program_without_a_bound_is_searched_to_its_end(self):
        program = self.build("by_environment", BY_ENVIRONMENT)
        process = self.farm("-j2", "--", program)
        found = self.of_farm(process, OK)
        self.assertTrue(found["complete"])
        one = self.of_one_process(program, 9)
        self.assertEqual((found["schedules"], found["classes"]), (one["schedules"], one["classes"]))

    def test_a_worker_that_is_killed_in_a_shard_costs_nothing_but_time(self):
        server, program, process, worker = self.farm_in_a_shard()
        shards = children_of(worker.pid)
        worker.kill()
        worker.wait()
        wait_until(lambda: not any(is_running(shard) for shard in shards), "the shard's process ends with its worker")
        self.worker(server, name="late")
        self.worker(server, name="later")
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 2))

    def test_a_shard_whose_process_always_ends_is_given_up_and_nothing_is_claimed_of_it(self):
        server = self.serve()
        program = harness.program("corpus/bounded_queue_one_condition")
        process = self.farm(f"--farm={server.url}", "--max-preemptions=2", "--keep-going", "--", program)
        worker = self.worker(server)
        wait_until(lambda: "works on" in self.said("worker"), "the worker is ready")
        late = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < late:
            for shard in children_of(worker.pid):
                if is_of_probe(shard):
                    continue  # else it is the worker that is sick
                with contextlib.suppress(ProcessLookupError):
                    os.kill(shard, signal.SIGKILL)
            time.sleep(0.02)
        self.assertIn(process.wait(timeout=1), (BUG, NO_VERDICT))  # a bug may have come first
        report = self.scratch.read_report("farm.json", "farm")
        self.assertEqual(report["stop_reason"], "error")
        self.assertIn("the process of a shard ended without a result", report["no_verdict_reason"])
        self.assertIn("3 times", report["no_verdict_reason"])
        self.assertLess(report["preemption_bound_proved"], 2)

    def test_a_worker_that_can_run_nothing_any_more_gives_up_and_costs_no_shard(self):
        server = self.serve()
        program = harness.program("corpus/bounded_queue_one_condition")
        process = self.farm(f"--farm={server.url}", "--max-preemptions=2", "--keep-going", "--", program)
        folder = self.scratch.path("files")
        os.mkdir(folder)
        worker = self.worker(server, environment={"TMPDIR": folder})
        wait_until(lambda: self.is_stopped_in_a_shard(worker), "a shard runs")
        os.rename(folder, self.scratch.path("gone"))
        for child in children_of(worker.pid):
            os.kill(child, signal.SIGKILL)
        worker.send_signal(signal.SIGCONT)
        self.assertEqual(worker.wait(timeout=PATIENCE_S), NO_VERDICT)
        self.worker(server, name="another")
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 2))

    def test_schedules_that_are_cut_off_are_told_and_make_no_verdict_where_there_are_no_others(self):
        program = self.build("by_environment", BY_ENVIRONMENT)
        process = self.farm("-j1", "--max-steps=2", "--max-preemptions=1", "--", program)
        self.assertEqual(process.wait(timeout=60), NO_VERDICT, self.said("output"))
        self.assertIn("no schedule ended within 2 steps", self.said("output"))
        report = self.scratch.read_report("farm.json", "farm")
        self.assertEqual(report["cut_off"], report["schedules_at_bound"])
        self.assertIn("What comes after that was not run", self.said("output"))

    def test_a_server_that_is_killed_goes_on_where_it_was(self):
        server, program, process, worker = self.farm_in_a_shard()
        server.kill()
        server.start()
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 2))
        self.assertEqual(worker.wait(timeout=PATIENCE_S), OK)

    def test_a_coordinator_that_is_killed_is_followed_by_another(self):
        server, program, process, worker = self.farm_in_a_shard()
        process.kill()
        process.wait()
        attached = self.start("farm", "attach", f"--farm={server.url}", "--json=farm.json", "--time=200s")
        self.assertEqual(self.of_farm(attached, BUG), self.of_one_process(program, 2))

    def test_a_local_farm_is_attached_to(self):
        program = harness.program("corpus/bounded_queue_one_condition")
        process = self.farm("-j2", "--max-preemptions=2", "--keep-going", "--", program)
        wait_until(lambda: len(children_of(process.pid)) == 3, "server and workers run")
        others = children_of(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not any(is_running(other) for other in others), "server and workers end with it")
        attached = self.start("farm", "attach", "-j2", "--json=farm.json", "--time=200s")
        self.assertEqual(self.of_farm(attached, BUG), self.of_one_process(program, 2))

    def test_hunts_find_what_lies_beyond_the_bounds_and_prove_nothing(self):
        program = self.build("turns", TURNS)
        process = self.farm("-j2", "--max-preemptions=2", "--", program)
        self.assertEqual(self.of_farm(process, OK), self.of_one_process(program, 2))
        process = self.farm("-j2", "--search=auto", "--", program)
        self.assertEqual(process.wait(timeout=PATIENCE_S), BUG, self.said("output"))
        with open(self.scratch.path("farm.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["stop_reason"], "bug")
        self.assertGreater(report["bugs"][0]["preemptions"], report["preemption_bound_proved"] + 1)
        self.assertGreater(report["hunted_schedules"], 0)
        self.assertIn("Drawn at random: ", self.said("output"))
        self.assertIn("Reproduced: ", self.heddle(BUG, "replay", report["bugs"][0]["trace"]).text)

    def test_hunts_change_nothing_of_what_is_proved(self):
        program = harness.program("corpus/race_two_locks")  # places that race become scheduling points
        process = self.farm("-j2", "--search=auto", "--max-preemptions=2", "--keep-going", "--", program)
        found, one = self.of_farm(process, BUG), self.of_one_process(program, 2)
        self.assertLessEqual(set(one.pop("bugs")), set(found.pop("bugs")))
        self.assertEqual(found, one)

    def test_what_is_left_may_be_longer_than_a_message(self):
        program = self.build("many", MANY)
        process = self.farm("-j2", "--shard-time=300ms", "--time=10s", "--", program)
        self.assertEqual(process.wait(timeout=PATIENCE_S), OK, self.said("output"))
        report = self.scratch.read_report("farm.json", "farm")
        self.assertEqual((report["stop_reason"], report["results_refused"]), ("time", 0))
        self.assertGreater(report["shards_done"], 3)

    def test_a_worker_that_refuses_is_heard(self):
        server = self.serve()
        program = self.build("by_environment", BY_ENVIRONMENT)
        process = self.start("farm", "run", f"--farm={server.url}", "--time=4s", "--", program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 1, "the first shard waits")
        worker = self.worker(server, environment={"TIMES": "3"})
        self.assertEqual(worker.wait(timeout=PATIENCE_S), NO_VERDICT)
        self.assertEqual(process.wait(timeout=PATIENCE_S), NO_VERDICT)
        self.assertIn("takes no shard: the first schedule differs here", self.said("output"))

    def test_nobody_else_reaches_a_local_farm(self):
        self.farm("-j1", "--max-preemptions=3", "--keep-going", "--",
                  harness.program("corpus/bounded_queue_one_condition"))
        url_file = self.scratch.path("heddle-out/farm/heddle/url")
        wait_until(lambda: os.path.exists(url_file), "the server runs")
        self.assertEqual(os.stat(url_file).st_mode & 0o077, 0)
        with open(url_file, encoding="utf-8") as file:
            url = file.read()
        self.assertIn("@127.0.0.1:", url)
        stranger = "nats://" + url.split("@")[1]
        result = self.heddle(USAGE, "farm", "status", f"--farm={stranger}")
        self.assertIn("Authorization", result.text)

    def test_the_first_bug_ends_a_farm_and_its_trace_replays(self):
        process = self.farm("-j2", "--", harness.program("corpus/bank_account"))
        self.assertEqual(process.wait(timeout=PATIENCE_S), BUG)
        report = self.scratch.read_report("farm.json", "farm")
        self.assertEqual(report["stop_reason"], "bug")
        result = self.heddle(BUG, "replay", report["bugs"][0]["trace"])
        self.assertIn("Reproduced: ", result.text)

    def test_a_bug_whose_text_is_no_utf8_is_told_and_the_program_does_not_see_the_server(self):
        server = self.serve()
        there = {"HEDDLE_FARM": server.url}
        process = self.farm("--", self.build("no_utf8", NO_UTF8), environment=there)
        self.start("worker", "-j1", name="worker", environment=there)
        self.assertEqual(process.wait(timeout=60), BUG)
        bugs = self.scratch.read_report("farm.json", "farm")["bugs"]
        self.assertEqual(len(bugs), 1)
        self.assertIn("Z\ufffdhler\x1b", bugs[0]["message"])
        self.assertIn("hler\\x1b[2J", self.said("output"))

    def test_what_makes_no_sense_is_left_aside(self):
        server = self.serve()
        program = harness.program("corpus/bank_account")
        process = self.farm(f"--farm={server.url}", "--max-preemptions=2", "--keep-going", "--", program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 1, "the first shard waits")
        for payload in (b"", b"nonsense", b"\x9f" * 100_000, os.urandom(1000)):
            server.publish(b"heddle.heddle.results.all", payload)
            server.publish(b"heddle.heddle.shards.all", payload)
            server.publish(b"heddle.heddle.beats.all", payload[:5000])
        self.worker(server)
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 2))
        self.assertEqual(self.scratch.read_report("farm.json", "farm")["results_refused"], 4)

    def test_a_worker_on_which_the_program_behaves_otherwise_refuses(self):
        server = self.serve()
        program = self.build("by_environment", BY_ENVIRONMENT)
        self.farm(f"--farm={server.url}", "--max-preemptions=1", "--", program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 1, "the first shard waits")
        worker = self.worker(server, environment={"TIMES": "3"})
        self.assertEqual(worker.wait(timeout=PATIENCE_S), NO_VERDICT)
        self.assertIn("the first schedule differs here from where the farm was started", self.said("worker"))

    def test_program_and_data_travel(self):
        server = self.serve()
        program = self.build("by_file", BY_FILE)
        os.mkdir(self.scratch.path("data"))
        with open(self.scratch.path("data/number"), "w", encoding="ascii") as file:
            file.write("42\n")
        process = self.farm(f"--farm={server.url}", "--with-file=data/number", "--", program)
        wait_until(lambda: self.status(server).get("shards_waiting") == 1, "the first shard waits")
        os.remove(program)
        shutil.rmtree(self.scratch.path("data"))
        elsewhere = self.scratch.path("elsewhere")
        os.mkdir(elsewhere)
        self.worker(server, folder=elsewhere, sandbox="auto")
        self.assertTrue(self.of_farm(process, OK)["complete"])

    @unittest.skipUnless(SANDBOX, "bubblewrap is not installed, or user namespaces are forbidden")
    def test_in_a_sandbox_the_answer_is_that_of_one_process(self):
        for name, bound, status in (("bank_account", 3, BUG), ("barrier_phases", 2, OK),
                                    ("bounded_queue_one_condition", 1, BUG)):  # its key comes from lines of the source
            program = harness.program("corpus/" + name)
            process = self.farm("-j2", "--sandbox=yes", f"--max-preemptions={bound}", "--keep-going", "--", program)
            self.assertEqual(self.of_farm(process, status), self.of_one_process(program, bound), name)

    @unittest.skipUnless(SANDBOX, "bubblewrap is not installed, or user namespaces are forbidden")
    def test_a_sandbox_hides_files_network_variables_and_processes(self):
        spy = self.build("spy", SPY)
        with open(self.scratch.path("secret"), "w", encoding="ascii"):
            pass
        there = {"SECRET": "1", "SPOKEN": "1"}
        for words, seen in ((["--sandbox=yes"], "sees:"),
                            (["--sandbox=yes", "--sandbox-variable=SPOKEN"], "sees: spoken"),
                            (["--sandbox=no"], "sees: file network secret spoken process system")):
            process = self.farm("-j1", *words, "--", spy, self.scratch.path("secret"), os.readlink("/proc/self/ns/net"),
                                f"/proc/{os.getpid()}", environment=there)
            self.assertEqual(process.wait(timeout=PATIENCE_S), BUG, self.said("output"))
            message = self.scratch.read_report("farm.json", "farm")["bugs"][0]["message"]
            self.assertIn(f"`{seen}'", message)

    def test_without_bubblewrap_a_sandbox_is_refused_and_a_worker_says_that_it_has_none(self):
        server = self.serve()
        process = self.farm(f"--farm={server.url}", "--max-preemptions=1", "--",
                            harness.program("corpus/barrier_phases"))
        without = {"PATH": self.scratch.folder}
        refused = self.worker(server, sandbox="yes", name="refused", environment=without)
        self.assertEqual(refused.wait(timeout=PATIENCE_S), USAGE)
        self.assertIn("bwrap is not here: apt-get install bubblewrap", self.said("refused"))
        self.worker(server, sandbox="auto", environment=without)
        self.assertEqual(process.wait(timeout=PATIENCE_S), OK)
        self.assertEqual(self.said("worker").count("without a sandbox, with your rights: bwrap is not here"), 1)

    def test_a_program_that_takes_too_much_costs_its_shard_and_is_told(self):
        program = self.build("greedy", GREEDY)
        for what, option in (("memory", "--worker-memory=256M"), ("processes", "--worker-processes=50"),
                             ("time", "--worker-time=2s")):
            for sandbox in ("no", "yes") if SANDBOX else ("no",):
                process = self.farm("-j1", f"--sandbox={sandbox}", option, "--shard-time=1s", "--execution-timeout=1h",
                                    "--", program, what)
                self.assertEqual(process.wait(timeout=PATIENCE_S), NO_VERDICT, self.said("output"))
                report = self.scratch.read_report("farm.json", "farm")
                self.assertIn(option.split("=", maxsplit=1)[0] + " allows more", report["no_verdict_reason"])
                self.assertEqual(report["preemption_bound_proved"], 0)

    def test_what_a_killed_worker_left_is_removed_by_the_next_one(self):
        server = self.serve()
        program = harness.program("corpus/bounded_queue_one_condition")
        self.farm(f"--farm={server.url}", "--max-preemptions=2", "--keep-going", "--shard-time=5s", "--", program)
        folder = self.scratch.path("files")
        os.mkdir(folder)
        shards = lambda: {name for name in os.listdir(folder) if name.startswith("heddle-shard-")}
        killed = self.worker(server, environment={"TMPDIR": folder})
        wait_until(lambda: self.is_stopped_in_a_shard(killed), "a shard runs")
        left = shards()
        self.assertEqual(len(left), 1)
        killed.kill()
        killed.wait()
        living = self.worker(server, name="living", environment={"TMPDIR": folder})
        wait_until(lambda: not left & shards(), "what was left is removed")
        wait_until(lambda: self.is_in_a_shard(living, "living"), "a shard runs")
        living.send_signal(signal.SIGSTOP)
        living_shard = shards()
        self.assertEqual(len(living_shard), 1)
        self.worker(server, name="next", environment={"TMPDIR": folder})
        wait_until(lambda: "works on" in self.said("next"), "the next worker has looked")
        self.assertLessEqual(living_shard, shards())
        living.send_signal(signal.SIGCONT)

    def test_a_server_that_is_gone_is_told_within_seconds_and_that_it_is_back(self):
        server, program, process, worker = self.farm_in_a_shard()
        server.kill()
        gone = f"the server {server.url} is gone; waiting for it"
        begun = time.monotonic()
        for name in ("output", "worker"):
            wait_until(lambda name=name: gone in self.said(name), "it is told that the server is gone")
        self.assertLess(time.monotonic() - begun, 10)
        server.start()
        back = f"the server {server.url} is back"
        for name in ("output", "worker"):
            wait_until(lambda name=name: back in self.said(name), "it is told that the server is back")
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 2))
        self.assertEqual((self.said("output").count(gone), self.said("output").count(back)), (1, 1))

    def test_a_server_that_falls_silent_is_told_within_seconds(self):
        server = self.serve()
        process = self.farm(f"--farm={server.url}", "--max-preemptions=2", "--keep-going", "--",
                            harness.program("corpus/bounded_queue_one_condition"))
        worker = self.worker(server)
        wait_until(lambda: self.is_in_a_shard(worker, "worker"), "a shard is run")
        server.process.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        for name in ("output", "worker"):
            wait_until(lambda name=name: "is gone; waiting for it" in self.said(name), "the silence is told")
        self.assertLess(time.monotonic() - begun, 10)
        server.process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=240), BUG, self.said("output"))

    def test_a_server_that_does_not_come_back_leaves_no_verdict(self):
        server = self.serve()
        process = self.farm(f"--farm={server.url}", "--wait-for-server=2s", "--max-preemptions=2", "--",
                            harness.program("corpus/bounded_queue_one_condition"))
        worker = self.worker(server, "--wait-for-server=2s")
        wait_until(lambda: self.is_in_a_shard(worker, "worker"), "a shard is run")
        server.kill()
        self.assertEqual(process.wait(timeout=PATIENCE_S), NO_VERDICT)
        self.assertEqual(worker.wait(timeout=PATIENCE_S), NO_VERDICT)
        report = self.scratch.read_report("farm.json", "farm")
        self.assertEqual(report["verdict"], "none")
        self.assertIn("has not come back within 2.0 s; when it is there, heddle farm attach goes on",
                      report["no_verdict_reason"])
        self.assertIn("has not come back within 2.0 s", self.said("worker"))

    def test_of_two_farms_that_start_together_one_is_refused(self):
        program = harness.program("corpus/bank_account")
        both = [self.farm("-j1", "--max-preemptions=2", "--keep-going", "--", program, name=name)
                for name in ("one", "other")]
        statuses = sorted(process.wait(timeout=PATIENCE_S) for process in both)
        said = self.said("one") + self.said("other")
        self.assertEqual(statuses, sorted((BUG, USAGE)), said)
        self.assertEqual(said.count("the farm heddle is running; heddle farm status shows it"), 1)

    def test_a_coordinator_whose_place_was_taken_ends_and_leaves_the_other_farm_alone(self):
        server = self.serve()
        address = f"--farm={server.url}"
        first = self.farm(address, "--max-preemptions=1", "--", harness.program("corpus/barrier_phases"), name="first")
        wait_until(lambda: self.status(server).get("shards_waiting") == 1, "the first farm runs")
        running = self.heddle(USAGE, "farm", "run", address, "--", harness.program("corpus/bank_account"))
        self.assertIn("the farm heddle is running", running.text)
        first.send_signal(signal.SIGSTOP)
        program = harness.program("corpus/bank_account")
        process = self.farm(address, "--max-preemptions=2", "--keep-going", "--", program)
        wait_until(lambda: "workers can come" in self.said("output"), "the other farm runs")
        first.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(timeout=PATIENCE_S), NO_VERDICT, self.said("first"))
        self.assertIn("another farm of this name has taken its place", self.said("first"))
        self.worker(server)
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 2))

    def test_of_two_farms_that_start_together_on_a_named_server_one_is_run(self):
        server = self.serve()
        program = harness.program("corpus/bank_account")
        both = [self.farm(f"--farm={server.url}", "--max-preemptions=1", "--keep-going", "--", program, name=name)
                for name in ("one", "other")]
        wait_until(lambda: any(process.poll() is not None for process in both), "one of them is refused")
        self.worker(server)
        ended = [process.wait(timeout=PATIENCE_S) for process in both]
        self.assertEqual(ended.count(BUG), 1, self.said("one") + self.said("other"))

    def test_a_farm_whose_first_schedule_fails_leaves_the_last_one_alone(self):
        process = self.farm("-j1", "--max-preemptions=1", "--", harness.program("corpus/barrier_phases"))
        self.assertEqual(process.wait(timeout=PATIENCE_S), OK)
        self.heddle(NO_VERDICT, "farm", "run", "-j1", "--", "/bin/true")
        attached = self.heddle(OK, "farm", "attach", "-j1", "--time=1s")
        self.assertIn("every schedule", attached.text)

    def test_a_local_farm_goes_on_without_a_worker_that_gave_up(self):
        program = harness.program("corpus/bounded_queue_one_condition")
        process = self.farm("-j2", "--max-preemptions=3", "--keep-going", "--", program)
        wait_until(lambda: self.status().get("workers") == 2, "both workers run")
        os.kill(children_of(process.pid)[1], signal.SIGTERM)
        self.assertEqual(self.of_farm(process, BUG), self.of_one_process(program, 3))
        self.assertEqual(self.said("output").count("a worker gave up"), 1)

    def test_a_local_farm_ends_when_its_last_worker_gave_up(self):
        process = self.farm("-j2", "--max-preemptions=6", "--keep-going", "--",
                            harness.program("corpus/bounded_queue_one_condition"))
        wait_until(lambda: self.status().get("workers") == 2, "both workers run")
        for worker in children_of(process.pid)[1:]:
            os.kill(worker, signal.SIGTERM)
        wait_until(lambda: process.poll() is not None, "the farm ends")
        self.assertIn(process.returncode, (BUG, NO_VERDICT))  # a bug may have come first
        report = self.scratch.read_report("farm.json", "farm")
        self.assertIn("no worker is left", report["no_verdict_reason"])

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_a_server_that_wants_certificates_of_clients(self):
        authority, key = self.certificate("authority", "-x509", "-subj", "/CN=authority")
        signed = ("-CA", authority, "-CAkey", key, "-x509")
        at_server = self.certificate("server", *signed, "-subj", "/CN=server", "-addext", "subjectAltName=IP:127.0.0.1")
        at_client = self.certificate("client", *signed, "-subj", "/CN=client")
        server = Server(self.scratch.path("streams"), "--tlsverify", f"--tlscacert={authority}",
                        f"--tlscert={at_server[0]}", f"--tlskey={at_server[1]}")
        self.addCleanup(server.kill)
        address = ["--farm=" + server.url.replace("nats:", "tls:"), f"--tls-ca={authority}"]
        self.assertIn("can't be used", self.heddle(USAGE, "farm", "status", *address).text)
        address += [f"--tls-certificate={at_client[0]}", f"--tls-key={at_client[1]}"]
        self.assertIn("there is no farm heddle", self.heddle(USAGE, "farm", "status", *address).text)
        self.runs_with(address)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_a_server_that_wants_credentials(self):
        lines, credentials = nats_accounts.make_user(self.scratch.folder)
        with open(self.scratch.path("server.conf"), "w", encoding="ascii") as file:
            file.write(lines)
        server = Server(self.scratch.path("streams"), "-c", self.scratch.path("server.conf"))
        self.addCleanup(server.kill)
        self.assertIn("Authorization", self.heddle(USAGE, "farm", "status", f"--farm={server.url}").text)
        self.runs_with([f"--farm={server.url}", f"--credentials={credentials}"])

    def certificate(self, name, *words):
        files = self.scratch.path(name + ".crt"), self.scratch.path(name + ".key")
        subprocess.run(["openssl", "req", *words, "-newkey", "rsa:2048", "-nodes", "-days", "2", "-out", files[0],
                        "-keyout", files[1]], check=True, stderr=subprocess.DEVNULL)
        return files

    def runs_with(self, address):
        program = harness.program("corpus/barrier_phases")
        process = self.farm(*address, "--max-preemptions=1", "--", program)
        self.start("worker", "-j2", "--sandbox=no", *address, name="worker")
        self.assertEqual(self.of_farm(process, OK), self.of_one_process(program, 1))

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_a_server_with_tls_is_trusted_by_its_certificate_only(self):
        certificate, key = self.scratch.path("certificate.pem"), self.scratch.path("key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
                        "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True,
                       stderr=subprocess.DEVNULL)
        server = Server(self.scratch.path("streams"), "--tls", f"--tlscert={certificate}", f"--tlskey={key}")
        self.addCleanup(server.kill)
        address = "--farm=" + server.url.replace("nats:", "tls:")
        refused = self.heddle(USAGE, "farm", "status", address)
        self.assertIn("certificate", refused.text)
        program = harness.program("corpus/barrier_phases")
        process = self.farm(address, f"--tls-ca={certificate}", "--max-preemptions=1", "--", program)
        self.start("worker", address, f"--tls-ca={certificate}", name="worker")
        self.assertEqual(self.of_farm(process, OK), self.of_one_process(program, 1))

    def test_status_in_words_as_json_and_for_prometheus(self):
        server = self.serve()
        process = self.farm(f"--farm={server.url}", "--max-preemptions=1", "--keep-going", "--",
                            harness.program("corpus/bank_account"))
        address = f"--farm={server.url}"
        wait_until(lambda: self.status(server).get("shards_waiting") == 1, "the first shard waits")
        self.heddle(OK, "farm", "status", "--json=status.json", address)
        self.assertEqual(self.scratch.read_report("status.json", "farm")["verdict"], "running")
        running = self.heddle(OK, "farm", "status", address).text
        self.assertIn("Running: bound 0, 0 schedules of it run, 1 shard to be searched, 0 bugs", running)
        self.worker(server)
        self.assertEqual(process.wait(timeout=PATIENCE_S), BUG)
        over = self.heddle(OK, "farm", "status", address).text
        self.assertIn("every schedule with at most 1 preemption was run", over)
        figures = self.heddle(OK, "farm", "status", "--prometheus", address).text
        self.assertIn('heddle_farm_preemption_bound_proved{farm="heddle"} 1\n', figures)
        self.assertIn('heddle_farm_bugs{farm="heddle"} 1\n', figures)

    def test_wrong_use_is_told(self):
        for words, told in ((["farm"], "heddle farm run explores"),
                            (["farm", "walk"], "there is no command farm walk"),
                            (["farm", "run"], "no program was given"),
                            (["farm", "run", "--farm=here", "true"], "this is no address"),
                            (["farm", "run", "--farm=nats://127.0.0.1:1", "--", "/bin/true"], "can't be used"),
                            (["farm", "run", "--search=dpor", "--", "/bin/true"], "a farm has no --search=dpor"),
                            (["farm", "run", "--memory=tso", "--races=ignore", "--", "/bin/true"],
                             "leave --races=ignore out"),
                            (["farm", "run", "--tls-key=x", "--", "/bin/true"], "belong together"),
                            (["farm", "run", "--farm-name=a.b", "--", "/bin/true"], "is not a name"),
                            (["farm", "run", "--with-file=/etc/passwd", "--", "/bin/true"], "does not lie below"),
                            (["farm", "status"], "no farm was started in this folder"),
                            (["farm", "attach"], "no farm was started in this folder"),
                            (["worker"], "no farm was started in this folder"),
                            (["worker", "--sandbox=maybe"], "\"maybe\" is none of: auto, yes, no"),
                            (["worker", "--worker-memory=1M"], "is not an amount of memory of at least 256M"),
                            (["worker", "--worker-processes=3"], "is not a whole number from 10 to 100000"),
                            (["farm", "run", "--wait-for-server=0", "--", "/bin/true"], "is not a time from 1s")):
            result = self.heddle(USAGE, *words)
            self.assertIn(told, result.text, words)


if __name__ == "__main__":
    harness.main()

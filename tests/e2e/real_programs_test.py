# Real programs as they are, under random schedules: every schedule must give what the native run gives, and there must
# be no false alarm. Those that can't be run stand in docs/LIMITATIONS.md with the reason.
import functools
import http.server
import os
import random
import shutil
import socket
import subprocess
import threading

import harness
from harness import OK

SCHEDULES = 30


class RealPrograms(harness.TestCase):
    def tool(self, *names):
        for name in names:
            path = name if os.path.isabs(name) and os.path.exists(name) else shutil.which(name)
            if path is not None:
                return path
        self.skipTest(f"{names[-1]} is not installed")

    def built(self, name):
        path = harness.program(f"tests/real_programs/{name}")
        if not os.path.exists(path):
            self.skipTest(f"{name} was not built: its library is not installed")
        return path

    def explore(self, command, *options, schedules=SCHEDULES):
        """Runs it natively and under heddle; all schedules must print what the native run prints."""
        native = harness.run(command, self.scratch.folder)
        native.require_status(0)
        result, report = self.scratch.run_heddle(
            "--search=random", f"--max-schedules={schedules}", "--output=all", "-j1", *options, "--", *command,
            timeout_s=300)
        result.require_status(OK)
        result.require(report["schedules"] == schedules, f"{report['schedules']} of {schedules} schedules")
        result.require(report["tasks_max"] > 1, "there was one thread only")
        for line in native.stdout.splitlines():
            result.require(result.stdout.splitlines().count(line) >= schedules, f"not in every schedule: {line}")
        return result, report

    def file(self, size):
        chooser = random.Random(1)
        words = [bytes(chooser.choices(b"abcdefgh", k=chooser.randint(2, 9))) for _ in range(500)]
        data = b" ".join(chooser.choice(words) for _ in range(size // 6))[:size]
        with open(self.scratch.path("data"), "wb") as file:
            file.write(data)
        return data

    def packed(self, data, name, *unpack):
        """What the last schedule left behind unpacks to what went in."""
        content = subprocess.run([*unpack, self.scratch.path(name)], capture_output=True, check=True).stdout
        self.assertTrue(content == data, "not the same content")

    def test_xz(self):
        xz, data = self.tool("xz"), self.file(400_000)
        self.explore([xz, "-1", "-T3", "--block-size=64KiB", "-k", "-f", "data"], "--isolation=fork", schedules=10)
        self.packed(data, "data.xz", xz, "-d", "-c")

    def test_pbzip2(self):
        pbzip2, data = self.tool("pbzip2"), self.file(300_000)
        self.explore([pbzip2, "-p3", "-b1", "-k", "-f", "data"], "--isolation=fork", schedules=10)
        self.packed(data, "data.bz2", pbzip2, "-d", "-c")

    def test_lbzip2(self):
        # By itself heddle comes to exec too, since it writes a file. (Under fork it signals the process id that it
        # had before the fork.)
        lbzip2, data = self.tool("lbzip2"), self.file(300_000)
        self.explore([lbzip2, "-n3", "-k", "-f", "data"], "--isolation=exec", schedules=5)
        self.packed(data, "data.bz2", lbzip2, "-d", "-c")

    def test_tbb_parallel_sort(self):
        self.explore([self.built("tbb_sort")])

    def test_boost_asio_thread_pool(self):
        self.explore([self.built("asio_pool")])

    def test_boost_asio_event_loop(self):
        """It stays on snapshots, and each schedule is there what it is in a process of its own."""
        program, logs = self.built("asio_loop"), []
        self.explore([program])
        for isolation in ("auto", "fork", "exec"):
            log = self.scratch.path(f"log.{isolation}")
            result, report = self.scratch.run_heddle("-j1", "--max-schedules=150", f"--isolation={isolation}",
                                                     f"--execution-log={log}", "--", program, timeout_s=300)
            result.require_status(OK)
            expected = "snapshot" if isolation == "auto" else isolation
            result.require(report["isolation"] == expected, f"isolation is {report['isolation']}, not {expected}")
            with open(log, encoding="utf-8") as file:
                logs.append(file.read())
        self.assertTrue(logs[0] == logs[1] == logs[2], "what is recorded of some schedule differs")

    def python(self, name, *options, schedules=SCHEDULES):
        script = os.path.join(harness.OPTIONS.source, "tests", "real_programs", name)
        self.explore([self.tool("/usr/bin/python3", "python3"), script], *options, schedules=schedules)

    def test_python_threads_and_queues(self):
        self.python("threads_and_queues.py")

    def test_python_asyncio(self):
        self.python("asyncio_and_signals.py", schedules=10)

    def test_python_multiprocessing(self):
        self.python("processes_and_locks.py", schedules=10)

    def test_python_timers_and_processes(self):
        self.python("timers_and_processes.py", schedules=10)

    def test_sort(self):
        """GNU sort uses threads from 128 Ki lines on."""
        numbers = list(range(140_000))
        random.Random(1).shuffle(numbers)
        with open(self.scratch.path("numbers"), "w", encoding="utf-8") as file:
            file.writelines(f"{number}\n" for number in numbers)
        self.explore([self.tool("sort"), "--parallel=3", "-n", "numbers", "-o", "sorted"], "--isolation=fork",
                     schedules=5)
        with open(self.scratch.path("sorted"), encoding="utf-8") as file:
            self.assertEqual([int(line) for line in file], sorted(numbers))

    def test_sqlite_threads(self):
        self.explore([self.built("sqlite_threads")], schedules=10)

    def test_libevent_echo(self):
        self.explore([self.built("libevent_echo")])

    def test_openmp_loop(self):
        self.explore([self.built("openmp_loop")])

    def test_sqlite_processes(self):
        self.tool("sqlite3")
        self.explore([self.built("sqlite_processes")], schedules=10)

    def test_curl(self):
        """curl resolves the name in a thread of its own."""
        curl = self.tool("curl")
        try:
            address = socket.gethostbyname(socket.gethostname())
        except OSError:
            self.skipTest("this machine's name has no address")
        with open(self.scratch.path("page"), "w", encoding="utf-8") as file:
            file.write("what the server has\n")
        handler = functools.partial(QuietHandler, directory=self.scratch.folder)
        with http.server.ThreadingHTTPServer((address, 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.explore([curl, "-s", f"http://{socket.gethostname()}:{server.server_port}/page"])
            server.shutdown()

    def test_memcached(self):
        """The client is outside; with its last command it ends the server, and so the schedule."""
        memcached = self.tool("memcached")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        client = MemcachedClient(port)
        client.start()
        result, report = self.scratch.run_heddle(
            "--search=random", "--max-schedules=5", "-j1", "--time=2m", "--", memcached, "-A", "-u", "root", "-U", "0",
            "-l", "127.0.0.1", "-p", str(port), "-t", "2", timeout_s=200)
        client.stop()
        result.require_status(OK)
        result.require(report["tasks_max"] > 2, "there were no worker threads")
        self.assertGreaterEqual(client.conversations, 5)
        self.assertEqual(client.odd, [])


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class MemcachedClient(threading.Thread):
    TALK = (("set a 0 0 3\r\nabc", "STORED"), ("get a", "VALUE a 0 3", "abc", "END"), ("incr b 1", "NOT_FOUND"),
            ("append a 0 0 1\r\nd", "STORED"), ("get a", "VALUE a 0 4", "abcd", "END"), ("delete a", "DELETED"))

    def __init__(self, port):
        super().__init__(daemon=True)
        self.address, self.over = ("127.0.0.1", port), threading.Event()
        self.conversations, self.odd = 0, []

    def stop(self):
        self.over.set()
        self.join()

    def run(self):
        while not self.over.is_set():
            try:
                with socket.create_connection(self.address, timeout=10) as connection:
                    self.talk(connection.makefile("rw", encoding="ascii", newline=""))
            except OSError:
                self.over.wait(0.02)  # the next schedule has not begun

    def talk(self, stream):
        for request, *answers in self.TALK:
            stream.write(request + "\r\n")
            stream.flush()
            for answer in answers:
                if (got := stream.readline().strip()) not in (answer, ""):
                    self.odd.append((request, got))
        stream.write("shutdown\r\n")
        stream.flush()
        stream.read()
        self.conversations += 1


if __name__ == "__main__":
    harness.main()

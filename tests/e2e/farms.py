# What tests of farms share: a nats-server, processes that are started and killed, and what is waited for.
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time

import harness
from harness import OK

SERVER = shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
PATIENCE_S = 60


def wait_until(condition, what):
    late = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > late:
            raise harness.Failure(f"{what}: not within {PATIENCE_S} s")
        time.sleep(0.02)


def children_of(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]
    return []


def is_running(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def sandbox_works():
    """May this user make namespaces, and is bubblewrap here?"""
    try:
        return subprocess.run(["bwrap", "--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-net",
                               "--ro-bind", "/", "/", "--proc", "/proc", "true"], check=False,
                              stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


SANDBOX = sandbox_works()


class Server:
    """A nats-server of the test's own, which can be killed and started again with what it has on disk."""

    def __init__(self, folder, *options):
        self.options = options
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"nats://127.0.0.1:{self.port}"
        self.folder = folder
        self.start()

    def start(self):
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen([SERVER, "-a", "127.0.0.1", "-p", str(self.port), "--jetstream",
                                         "--store_dir", self.folder, *self.options], stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        wait_until(self.answers, "nats-server answers")

    def answers(self):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as peer:
            return peer.recv(4) == b"INFO"
        return False

    def publish(self, subject, payload):
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as peer:
            peer.recv(65536)
            peer.sendall(b'CONNECT {"verbose":false}\r\nPUB %s %d\r\n%s\r\nPING\r\n' % (subject, len(payload), payload))
            answer = b""
            while b"PONG" not in answer:
                answer += peer.recv(65536)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Farms(harness.TestCase):
    """What tests of farms start, and what they wait for."""

    def setUp(self):
        super().setUp()
        self.processes = []
        self.environment = dict(os.environ, XDG_CACHE_HOME=self.scratch.path("cache"))
        self.environment.pop("HEDDLE_FARM", None)

    def tearDown(self):
        for process in self.processes:
            process.kill()
            process.wait()
        super().tearDown()

    # --- what is started

    def heddle(self, status, *words):
        result = self.scratch.heddle(*words, env=self.environment)
        if status is not None:
            result.require_status(status)
        return result

    def build(self, name, source):
        with open(self.scratch.path(name + ".c"), "w", encoding="ascii") as file:
            file.write(source)
        subprocess.run(["gcc", "-g", "-pthread", "-o", name, name + ".c"], cwd=self.scratch.folder, check=True)
        return self.scratch.path(name)

    def serve(self):
        server = Server(self.scratch.path("streams"))
        self.addCleanup(lambda: server.kill())  # the one that runs then
        return server

    def start(self, *words, name="output", environment=None, folder=None):
        with open(self.scratch.path(name + ".txt"), "a", encoding="utf-8") as output:
            # pylint: disable-next=consider-using-with
            process = subprocess.Popen([harness.OPTIONS.heddle, *words], stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=output, cwd=folder or self.scratch.folder,
                                       env=dict(self.environment, **(environment or {})))
        self.processes.append(process)
        return process

    def worker(self, server, *words, name="worker", sandbox="no", **others):
        return self.start("worker", "-j1", f"--farm={server.url}", f"--sandbox={sandbox}", *words, name=name, **others)

    def said(self, name):
        with open(self.scratch.path(name + ".txt"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def farm(self, *words, **others):
        return self.start("farm", "run", "--search=bounded", "--json=farm.json", "--time=200s", *words, **others)

    def is_in_a_shard(self, worker, name):
        """Behind the probe, whose process it has waited for."""
        return "works on" in self.said(name) and children_of(worker.pid)

    def is_stopped_in_a_shard(self, worker):
        """Then the shard, which may be the last one, is not done before its process is killed."""
        if not self.is_in_a_shard(worker, "worker"):
            return False
        worker.send_signal(signal.SIGSTOP)
        for child in children_of(worker.pid):
            os.kill(child, signal.SIGSTOP)
            if is_running(child):
                return True
        worker.send_signal(signal.SIGCONT)
        return False

    def status(self, server=None):
        address = f"--farm={server.url if server else 'local'}"
        result = subprocess.run([harness.OPTIONS.heddle, "farm", "status", address, "--json=-"],
                                capture_output=True, text=True, check=False, cwd=self.scratch.folder,
                                env=self.environment)
        return json.loads(result.stdout) if result.returncode == OK else {}

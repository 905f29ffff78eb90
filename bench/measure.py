# What the benchmarks share: running heddle on chosen CPUs and reading its report, the peer that it is compared with,
# medians of interleaved rounds, and tables.
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIMEOUT_S = 3 * 3600
SAMPLE_EVERY_S = 0.2
MOST_SEARCHES = 20  # of one measurement


def note(text):
    print(text, file=sys.stderr, flush=True)


class Figures:
    """One measurement: the JSON report of heddle, and what the processes took."""

    def __init__(self, report, memory):
        self.report, self.memory = report, memory

    @property
    def rate(self):
        return self.report["schedules_per_second"]

    @property
    def step_ns(self):
        return self.report["seconds"] * 1e9 / (self.report["schedules"] * self.report["steps_max"])


def children_of(process):
    path = f"/proc/{process}/task/{process}/children"
    try:
        with open(path, encoding="utf-8") as file:
            return [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return []


def resident_kib(process):
    try:
        with open(f"/proc/{process}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
    except (OSError, AttributeError):
        return 0


class MemoryWatch(threading.Thread):
    """Samples the resident memory of heddle and of its largest child while they run."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.samples = process, []  # (seconds, KiB of heddle, KiB of the target)
        self.ended = threading.Event()

    def run(self):
        start = time.monotonic()
        while not self.ended.wait(SAMPLE_EVERY_S):
            targets = [resident_kib(child) for child in children_of(self.process)]
            self.samples.append((time.monotonic() - start, resident_kib(self.process), max(targets, default=0)))

    def finish(self):
        self.ended.set()
        self.join()
        return self.samples


class Heddle:
    """The heddle of a build folder; knows which options it has."""

    def __init__(self, build, realtime=False):
        self.build, self.path = build, os.path.join(build, "heddle")
        self.prefix = ["chrt", "-f", "10"] if realtime else []
        self.known = {}  # options: are they there?
        self.reasons = {}  # why something could not be measured, told once

    def offers(self, option):
        """Is there such an option? It need not stand in --help."""
        if option not in self.known:
            word = {"-j": "-j1"}.get(option, option)
            said = subprocess.run([self.path, "run", word, "/nonexistent/program"], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL)
            self.known[option] = "not expected" not in said.stdout + said.stderr
        return self.known[option]

    def program(self, name):
        return os.path.join(self.build, "bench", name)

    def run(self, command, cpus, *options, statuses=(0,), watch=False, trace_to=None):
        """One `heddle run` of [workload, arguments…]; Figures, or None with the reason kept."""
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            if not any(option.startswith("--search") for option in options):
                options = ("--search=bounded", *options)  # what these measure; bench/finding.py compares searches
            line = [*self.prefix, "taskset", "-c", cpus, self.path, "run", "-q", f"--json={report}",
                    f"-o{trace_to or os.path.join(folder, 'out')}", *options, "--", self.program(command[0]),
                    *command[1:]]
            process = subprocess.Popen(line, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
            watcher = MemoryWatch(process.pid) if watch else None
            if watcher:
                watcher.start()
            try:
                output, _ = process.communicate(timeout=TIMEOUT_S)
            except BaseException:  # also when interrupted: nothing is left running
                process.kill()
                process.wait()
                raise
            memory = watcher.finish() if watcher else []
            if process.returncode not in statuses or not os.path.exists(report):
                last = output.strip().splitlines()[-1:] or ["no output"]
                self.tell(" ".join(command) + " " + " ".join(options), f"status {process.returncode}: {last[0]}")
                return None
            with open(report, encoding="utf-8") as file:
                return Figures(json.load(file), memory)

    def tell(self, what, reason):
        if what not in self.reasons:
            self.reasons[what] = reason
            note(f"not measured: {what}: {reason}")

    def run_about(self, executions, command, cpus, *options):
        """Figures of about so many executions. A larger search is cut off.

        A smaller one is made again and again, in turn with its first tenth. What counts is what a whole search does
        beyond that tenth: so starts are left out. It is for searches of some thousand schedules at least; those of
        fewer are over within the noise of a start."""
        whole = self.run(command, cpus, *options, f"--max-schedules={executions}")
        if whole is None or whole.report["schedules"] >= executions:
            return whole
        tenth = max(1, whole.report["schedules"] // 10)
        schedules = seconds = 0
        for _ in range(MOST_SEARCHES):
            part = self.run(command, cpus, *options, f"--max-schedules={tenth}")
            if part is None or whole is None:
                return None
            schedules += whole.report["schedules"] - part.report["schedules"]
            seconds += whole.report["seconds"] - part.report["seconds"]
            if schedules >= executions:
                break
            whole = self.run(command, cpus, *options)
        if seconds <= 0:
            self.tell(" ".join(command), "the search is too short")
            return None
        return Figures({**part.report, "schedules": schedules, "seconds": seconds,
                        "schedules_per_second": schedules / seconds}, [])


class Relacy:
    """The tests of bench/peers/relacy.cpp, which are built where Debian's relacy-dev is installed."""

    EXECUTIONS = 1_000_000
    TIMEOUT_S = 120

    def __init__(self, build, realtime=False):
        self.path = os.path.join(build, "bench", "relacy")
        self.prefix = ["chrt", "-f", "10"] if realtime else []
        self.there = os.path.exists(self.path)
        if not self.there:
            note("Relacy is not measured: install relacy-dev, run cmake again and build bench_peers.")

    def rate(self, name, cpu):
        """Executions per second by its random scheduler, or None."""
        if not self.there:
            return None
        done = subprocess.run([*self.prefix, "taskset", "-c", cpu, self.path, name, str(self.EXECUTIONS)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=self.TIMEOUT_S)
        match = re.search(r"throughput: (\d+)", done.stdout)
        if done.returncode != 0 or not match:
            note(f"not measured: relacy {name}: status {done.returncode}")
            return None
        return int(match.group(1))


def run_timed(command, folder, timeout_s):
    """(status, standard error, seconds of processor time with all processes that it waited for). Raises TimeoutExpired;
    whatever ends this, nothing is left running."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=said)
        killer = threading.Timer(timeout_s, process.kill)
        killer.start()
        begin = time.monotonic()
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == -signal.SIGKILL and time.monotonic() - begin >= timeout_s:
            raise subprocess.TimeoutExpired(command, timeout_s)
        said.seek(0)
        return process.returncode, said.read(), used.ru_utime + used.ru_stime


def native_rate(heddle, tasks, sections, rounds, cpu):
    """Create-and-join runs of the same test per second, without heddle."""
    done = subprocess.run(["taskset", "-c", str(cpu), heddle.program("native_sections"), str(tasks), str(sections),
                           str(rounds)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    match = re.search(r"(\d+) per second", done.stdout)
    return int(match.group(1)) if match else None


def start_rate(heddle, name, starts, cpu):
    """Starts of the program per second by a shell, one after another, without heddle."""
    loop = f'[ -x "$0" ] || exit; i=0; while [ $i -lt {starts} ]; do "$0" >/dev/null; i=$((i+1)); done'
    begin = time.monotonic()
    done = subprocess.run(["taskset", "-c", str(cpu), "sh", "-c", loop, heddle.program(name)],
                          stdin=subprocess.DEVNULL, timeout=120)
    return starts / (time.monotonic() - begin) if done.returncode == 0 else None


def median(values):
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


def ratio(value, other):
    return value / other if value is not None and other else None


def shown(value):
    if value is None:
        return "-"
    if isinstance(value, float) and abs(value) < 100:
        return f"{value:.2f}"
    return f"{value:,.0f}" if isinstance(value, (int, float)) else str(value)


def interleaved(rounds, measurements):
    """Medians by name of measurements {name: function}; all in each round, so that the machine's mood is alike."""
    values = {name: [] for name in measurements}
    for _ in range(rounds):
        for name, measure in measurements.items():
            values[name].append(measure())
    return {name: median(found) for name, found in values.items()}


def print_table(title, heads, rows):
    print(f"\n{title}\n")
    cells = [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heads, *cells]) for i in range(len(heads))]
    for row in [heads, ["-" * (width - 1) + ":" for width in widths], *cells]:
        print_row(row, widths)


def print_row(row, widths):
    print("| " + " | ".join(shown(cell).rjust(width) for cell, width in zip(row, widths)) + " |", flush=True)

# What the benchmarks share: running heddle on chosen CPUs and reading its report, the probes of ../shared/prototype,
# medians of interleaved rounds, and tables.
import json
import math
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
PROTOTYPE = os.path.join(ROOT, "..", "shared", "prototype")
TIMEOUT_S = 3 * 3600
PROBE_TIMEOUT_S = 30
SAMPLE_EVERY_S = 0.2


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
        self.counts = {}   # schedules of one search, by program and options that choose them

    def offers(self, option):
        """Is there such an option? It need not stand in --help."""
        if option not in self.known:
            word = {"-j": "-j1", "--repeat": "--repeat=1"}.get(option, option)
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
        """Repeats a search so often that about so many executions are measured; a larger one is cut off."""
        limit = f"--max-schedules={executions}"
        key = (*command, *(option for option in options if not option.startswith(("--isolation", "--carrier"))))
        if not self.offers("--repeat"):
            return self.run(command, cpus, *options, limit)
        if key not in self.counts:
            once = self.run(command, cpus, *options, limit)
            if once is None:
                return None
            self.counts[key] = once.report["schedules"]
        count = self.counts[key]
        if count >= executions:
            return self.run(command, cpus, *options, limit)
        return self.run(command, cpus, *options, f"--repeat={math.ceil(executions / count)}", "--time=4s")


class RingProbe:
    """The probe of ../shared/prototype/ring: driver and target in two processes, snapshots, traces, visited states."""

    # workload: its source, what makes it the same test, how often its search is run in a short and in a long run (much
    # more often, and the driver hangs)
    PROGRAMS = {"sections_2x5": ("tiny.c", "-DN=5", (600, 4000)),
                "sections_3x4": ("ring/tiny3.c", "-DN=4", (40, 200))}

    def __init__(self, build, realtime=False):
        self.folder = os.path.join(build, "bench", "ring")
        self.prefix = ["chrt", "-f", "10"] if realtime else []
        self.ready = False
        ring = os.path.join(PROTOTYPE, "ring")
        if not os.path.exists(os.path.join(ring, "driver.c")):
            note("The ring probe is not here (../shared/prototype/ring); measuring heddle alone.")
            return
        os.makedirs(self.folder, exist_ok=True)
        common = ["gcc", "-O2", "-g", "-w"]
        lines = [[*common, "-march=native", "-fPIC", "-shared", "-mfsgsbase", "-fno-strict-aliasing",
                  os.path.join(ring, "shim5.c"), "-o", "ring.so", "-ldl", "-pthread"],
                 [*common, "-march=native", os.path.join(ring, "driver.c"), "-o", "driver", "-pthread"]]
        lines += [[*common, define, os.path.join(PROTOTYPE, source), "-o", name, "-pthread"]
                  for name, (source, define, _) in self.PROGRAMS.items()]
        self.ready = all(subprocess.run(line, cwd=self.folder).returncode == 0 for line in lines)
        if not self.ready:
            note("The ring probe could not be built; measuring heddle alone.")

    def rate(self, name, target_cpu, driver_cpu):
        """Executions per second, or None."""
        found = self.search(name, target_cpu, driver_cpu)
        return found and int(found[0])

    def search(self, name, target_cpu, driver_cpu):
        """Executions per second, executions of one search, and steps of each; or None.

        The rate is that of what a long run does beyond a short one. The probe's driver makes its table of visited
        states before it forks the target, so the first write to each of 32,768 pages is a fault that copies it, within
        the time that it measures itself: half a second where faults are dear, which is no part of what an execution
        costs. Heddle's rates leave starts out, too."""
        rounds = self.PROGRAMS[name][2] if name in self.PROGRAMS else ()
        runs = [self.run(name, count, target_cpu, driver_cpu) for count in rounds]
        if not runs or None in runs:
            return None
        (few, short_s, *_), (many, long_s, once, steps) = runs
        return ((many - few) / (long_s - short_s), once, steps) if long_s > short_s else None

    def run(self, name, rounds, target_cpu, driver_cpu):
        """Executions, seconds that they took, executions of one search, and steps of each; or None."""
        output = self.output(name, rounds, target_cpu, driver_cpu)
        match = output and re.search(r"exec=(\d+) /root=([\d.]+) .*\| (\d+) exec/s.* steps/ex ([\d.]+)", output)
        if not match:
            return None
        executions = int(match.group(1))
        return executions, executions / int(match.group(3)), float(match.group(2)), float(match.group(4))

    def output(self, name, rounds, target_cpu, driver_cpu):
        """What it prints, or None."""
        if not self.ready:
            return None
        environment = dict(os.environ, SO="./ring.so", SCT_PB="2", SCT_ROUNDS=str(rounds),
                           LD_BIND_NOW="1", HB="128", VIS="1", SALT="1", TCPU0=str(target_cpu), DCPU=str(driver_cpu))
        process = subprocess.Popen([*self.prefix, "./driver", "./" + name], cwd=self.folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   text=True, start_new_session=True)
        try:
            output, _ = process.communicate(timeout=PROBE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            note(f"the ring probe hangs with {name}")
            return None
        finally:
            end_group(process)
        return output


def end_group(process):
    """Ends what a probe has left running: its target outlives it when it is killed."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


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
        print("| " + " | ".join(cell.rjust(width) for cell, width in zip(row, widths)) + " |")
    sys.stdout.flush()

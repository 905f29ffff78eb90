#!/usr/bin/env python3
# What the searches cost. Tables:
#   - how long --search=dpor takes to run one schedule of every class (search time alone, start-up apart), beside what
#     is wanted and what model checkers took for the same program, which don't run real ones
#   - what an execution costs the target, and what decoding, analysing it and planning the next costs the driver: under
#     --search=dpor, and in the bounded search as it is by default
#   - how the driver's part of that divides into analysis (graphs, hashes, races, states, the tree), decoding and the
#     rest, by samples of perf, where that is installed
#   - the memory of the bounded search for each pending schedule, from the unit tests (where they are built)
# Medians of interleaved rounds; the numbers of classes are asserted by the corpus, not here.
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import measure

# program: seconds wanted, what others took
PROGRAMS = {
    "classes_sections_3x3": (None, ""),
    "classes_sections_3x4": (0.5, "GenMC 3.6 s, Nidhugg 7.5 s"),
    "classes_queue_2_2": (3, ""),
    "treiber_3": (0.25, "19 s"),
}
LONG = [program for program in PROGRAMS if program != "classes_sections_3x3"]  # whose search is not over at once
# Whose bounded search takes seconds, with all reductions; program and arguments.
BOUNDED = ("bench/sections_3x4", "bench/w4", "bench/queue 10 0", "corpus/treiber_3", "corpus/classes_queue_2_2")
SAMPLE_EVERY_S = 0.005
# What the driver's functions are for, by their names; the rest is the explore loop, the workers and malloc.
ANALYSIS = re.compile("Races|HappensBefore|Dpor|ExplorationTree|Wakeup|BoundedSearch|Preemption|StateReduction"
                      "|StateTable|Fairness|Distinct|Deviations|Bin::|dependent|ended_by_deadline|Pruned|Hash|Estimat"
                      "|PlanTable")
DECODING = re.compile("Decoder|StepRecord")


def cpu_seconds(process):
    """User and system time of a process; None when it is gone."""
    try:
        threads = os.listdir(f"/proc/{process}/task")
        nanoseconds = 0
        for thread in threads:
            with open(f"/proc/{process}/task/{thread}/schedstat", encoding="utf-8") as file:
                nanoseconds += int(file.read().split()[0])
        return nanoseconds / 1e9
    except OSError:
        return None


class ProcessorWatch(threading.Thread):
    """Samples the processor time of heddle, and that of all processes below it, while they run."""

    def __init__(self, heddle):
        super().__init__(daemon=True)
        self.heddle, self.times, self.ended = heddle, {}, threading.Event()

    def run(self):
        while not self.ended.wait(SAMPLE_EVERY_S):
            left = [self.heddle]
            while left:
                process = left.pop()
                seconds = cpu_seconds(process)
                if seconds is not None:
                    self.times[process] = seconds
                left += measure.children_of(process)

    def finish(self):
        """(of heddle, of the others)"""
        self.ended.set()
        self.join()
        own = self.times.pop(self.heddle, 0)
        return own, sum(self.times.values())


def search(build, program, cpus, *options):
    """(schedules, seconds, processor seconds of the driver, of the target) of a search."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        # taskset replaces itself by heddle
        command = ["taskset", "-c", cpus, os.path.join(build, "heddle"), "run", "-q", f"--json={report}", *options,
                   "--", *os.path.join(build, program).split()]
        started = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, cwd=folder)
        watch = ProcessorWatch(process.pid)
        watch.start()
        try:
            output, _ = process.communicate(timeout=300)
        except BaseException:  # also when interrupted: nothing is left running
            process.kill()
            process.wait()
            raise
        driver, target = watch.finish()
        if process.returncode != 0:
            sys.exit(f"{program}: heddle ended with status {process.returncode} after "
                     f"{time.monotonic() - started:.1f} s\n{output}")
        with open(report, encoding="utf-8") as file:
            figures = json.load(file)
        return figures["schedules"], figures["seconds"], driver, target


def times(build, rounds, cpus):
    first, all_cpus = cpus.split(",")[0], cpus
    heads = ["program", "classes", "one CPU s", "two CPUs s", "two workers s", "goal s", "others"]
    found = {program: [[], [], []] for program in PROGRAMS}
    classes = {}
    for _ in range(rounds):
        for program, columns in found.items():
            for column, (on, option) in zip(columns, ((first, "-j1"), (all_cpus, "-j1"), (all_cpus, "-j2"))):
                classes[program], seconds, _, _ = search(build, f"corpus/{program}", on, "--search=dpor", option)
                column.append(seconds)
    rows = [[program, classes[program], *(measure.median(column) for column in columns), *PROGRAMS[program]]
            for program, columns in found.items()]
    measure.print_table("Every class once (--search=dpor), search time", heads, rows)


def costs(build, rounds, cpus, seconds, title, programs, *options):
    """A search of so many seconds, less one of a single schedule: so the starts of both processes are left out.

    What is sampled must be long beside the samples, so all of these searches take seconds."""
    heads = ["program", "us an execution", "target us", "driver us", "driver / target"]
    parts = {program: [] for program in programs}
    for _ in range(rounds):
        for program, figures in parts.items():
            found, start = (search(build, program, cpus.split(",")[0], "-j1", limit, *options)
                            for limit in (f"--time={seconds}s", "--max-schedules=1"))
            schedules, whole, driver, target = (value - before for value, before in zip(found, start))
            figures.append([1e6 * value / schedules for value in (whole, target, driver)])
    rows = []
    for program, figures in parts.items():
        whole, target, driver = (measure.median(column) for column in zip(*figures))
        rows.append([program.split("/")[1], whole, target, driver, driver / target])
    measure.print_table(f"What an execution costs: {title} (one CPU; processor time, system calls included)", heads,
                        rows)


def shares_of(build, folder, program, cpu, *options):
    """Shares of perf's samples: target, and of the driver analysis, decoding, the rest."""
    data = os.path.join(folder, "perf.data")
    command = [os.path.join(build, "heddle"), "run", "-q", "-j1", "--time=2s", *options, "--",
               *os.path.join(build, program).split()]
    sampled = ["perf", "record", "-q", "-o", data, "-e", "cpu-clock", "-F", "4000", "taskset", "-c", cpu, *command]
    subprocess.run(sampled, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True, timeout=120)
    report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort", "comm,symbol", "-w", "16,200"],
                            capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL, timeout=120).stdout
    target, parts = 0.0, [0.0, 0.0, 0.0]
    for share, process, function in re.findall(r"^\s+([\d.]+)%\s+(\S+)\s+\[.\]\s+(.*?)\s*$", report, re.MULTILINE):
        if process != "heddle":
            target += float(share)
        else:
            parts[0 if ANALYSIS.search(function) else 1 if DECODING.search(function) else 2] += float(share)
    return [part / target for part in parts]


def shares(build, rounds, cpus):
    if shutil.which("perf") is None:
        return measure.note("not measured: what the driver does: perf (Debian's linux-perf) is not installed")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for search_of, programs, options in (("dpor", [f"corpus/{name}" for name in LONG], ["--search=dpor"]),
                                             ("bounded", BOUNDED, ["--max-preemptions=9"])):
            for program in programs:
                found = [shares_of(build, folder, program, cpus.split(",")[0], *options) for _ in range(rounds)]
                parts = [measure.median(column) for column in zip(*found)]
                rows.append([program.split("/")[1], search_of, *parts, sum(parts)])
    return measure.print_table("The driver's parts of an execution, as multiples of what running it costs the target",
                               ["program", "search", "analysis", "decoding", "the rest", "all"], rows)


def bytes_of_pending(build):
    tests = os.path.join(build, "tests", "unit", "unit_search")
    if not os.path.exists(tests):
        measure.note(f"not measured: memory of pending schedules: {tests} is not built")
        return
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.json")
        subprocess.run([tests, "--gtest_filter=Memory.APending*", f"--gtest_output=json:{result}"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, timeout=300)
        with open(result, encoding="utf-8") as file:
            test = json.load(file)["testsuites"][0]["testsuite"][0]
    measure.print_table("Bytes for each pending schedule of the bounded search, at most (goal: 32)",
                        ["--reduction=none", "--reduction=all"], [[float(test["all"]), float(test["reduced"])]])


def main():
    parser = argparse.ArgumentParser(description="What the searches cost.")
    parser.add_argument("--build", default=os.path.join(measure.ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each run, for the costs of an execution")
    parser.add_argument("--sections", default="times,costs,bounded,shares,memory", help="which tables")
    parser.add_argument("--cpus", default="0,1", help="two processors")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    sections = arguments.sections.split(",")
    few = max(1, arguments.rounds // 2)
    if "times" in sections:
        times(build, arguments.rounds, arguments.cpus)
    if "costs" in sections:
        costs(build, few, arguments.cpus, arguments.seconds, "--search=dpor",
              [f"corpus/{program}" for program in LONG], "--search=dpor")
    if "bounded" in sections:
        costs(build, few, arguments.cpus, arguments.seconds, "--search=bounded, all reductions", BOUNDED,
              "--max-preemptions=9")
    if "shares" in sections:
        shares(build, few, arguments.cpus)
    if "memory" in sections:
        bytes_of_pending(build)


if __name__ == "__main__":
    main()

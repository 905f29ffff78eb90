#!/usr/bin/env python3
# What instrumentation costs: natively, under Heddle, and with race detection; executions a second of lock-free code.
#
#   bench/instrument.py [--build=build] [--rounds=7] [--cpu=N] [--realtime] [--require]
#
# The same work (bench/instrumented/accesses.cpp) plainly built and by heddle-c++, in turn, on one CPU; medians of all
# rounds. The accesses are counted by another build of it, with counters in place of Heddle's library. --realtime: run
# before everything else on the machine (chrt). --require: ends with status 1 if a required figure is missed.
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKS = ("chase", "stream", "sort", "map", "queue")
# Natively: times the plain run. Under Heddle: nanoseconds an access.
MOST_NATIVE = {"chase": 1.3, "stream": 4.0}
MOST_WITHOUT_RACES_NS = 2.0
MOST_WITH_RACES_NS = 15.0
LEAST_EXECUTIONS = 250_000


def parse_arguments():
    parser = argparse.ArgumentParser(description="the cost of instrumentation")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--require", action="store_true")
    return parser.parse_args()


class Bench:
    def __init__(self, arguments, folder):
        self.build = os.path.abspath(arguments.build)
        self.cpu = arguments.cpu
        self.folder = folder
        self.first = ["chrt", "-f", "10"] if arguments.realtime else []
        self.missed = []

    def run(self, *command, pinned=True, measured=False):
        pin = ["taskset", "-c", str(self.cpu)] if pinned else []
        done = subprocess.run([*(self.first if measured else []), *pin, *command], cwd=self.folder, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def make(self):
        source = os.path.join(HERE, "instrumented", "accesses.cpp")
        flags = ["-O2", "-g", "-std=c++20", "-pthread"]
        instrumented = ["-fsanitize=thread", "--param=tsan-distinguish-volatile=1", "-fno-builtin-memcpy"]
        self.run("g++", *flags, source, "-o", "plain")
        self.run(os.path.join(self.build, "heddle-c++"), *flags, source, "-o", "instrumented")
        self.run("g++", *flags, *instrumented, "-c", source, "-o", "counted.o")
        self.run("gcc", "-O2", "-c", os.path.join(HERE, "instrumented", "count_accesses.c"), "-o", "counter.o")
        self.run("g++", "counted.o", "counter.o", "-pthread", "-o", "counted")

    def number(self, text, word):
        return float(re.search(rf"{word} ([\d.]+)", text).group(1))

    def ticks(self, way, work):
        if way in ("plain", "instrumented"):
            return self.number(self.run(f"./{way}", work, measured=True), "ticks")
        races = "bug" if way == "races" else "ignore"
        heddle = os.path.join(self.build, "heddle")
        return self.number(self.run(heddle, "run", "-q", "-j1", f"--races={races}", "--max-schedules=1",
                                    "--determinism-check=0", "--output=all", "./instrumented", work,
                                    measured=True), "ticks")

    def accesses(self, work):
        return self.number(self.run("./counted", work), "accesses")

    def executions_per_second(self, races):
        """Treiber's stack with two tasks: all 143,723 schedules."""
        report = os.path.join(self.folder, "report.json")
        self.run(os.path.join(self.build, "heddle"), "run", "-q", "-j1", f"--races={races}", "--reduction=none",
                 "--isolation=snapshot", "--time=60s", f"--json={report}",
                 os.path.join(self.build, "corpus", "treiber_2"),
                 pinned=False, measured=True)  # the driver has a CPU of its own
        with open(report, encoding="utf-8") as file:
            return json.load(file)["schedules_per_second"]

    def check(self, name, value, most):
        if value > most:
            self.missed.append(f"{name}: {value:.2f}, and {most} is to be reached")


def main():
    arguments = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        bench.make()
        ticks_per_ns = bench.number(bench.run("./plain", "calibrate"), "ticks_per_ns")
        ways = ("plain", "instrumented", "ignore", "races")
        times = {work: {way: [] for way in ways} for work in WORKS}
        rates = {races: [] for races in ("ignore", "bug")}
        for _ in range(arguments.rounds):
            for work in WORKS:
                for way in ways:
                    times[work][way].append(bench.ticks(way, work))
            for races, measured in rates.items():
                measured.append(bench.executions_per_second(races))
        print(f"{'work':<8}{'accesses':>10}{'native':>10}{'under Heddle, ns an access':>30}{'with races':>12}")
        with_races = []
        for work in WORKS:
            count = bench.accesses(work)
            median = {way: statistics.median(times[work][way]) for way in ways}
            native = median["instrumented"] / median["plain"]
            per_access = {way: (median[way] - median["plain"]) / ticks_per_ns / count for way in ("ignore", "races")}
            print(f"{work:<8}{count:>10.0f}{native:>9.2f}x{per_access['ignore']:>30.2f}{per_access['races']:>12.2f}")
            if work in MOST_NATIVE:
                bench.check(f"{work}, natively", native, MOST_NATIVE[work])
            bench.check(f"{work}, under Heddle", per_access["ignore"], MOST_WITHOUT_RACES_NS)
            if work not in MOST_NATIVE:
                with_races.append(per_access["races"])
        bench.check("races, median of sort, map and queue", statistics.median(with_races), MOST_WITH_RACES_NS)
        rate = statistics.median(rates["ignore"])
        print(f"Treiber's stack, two tasks, driver and target on a CPU each: {rate:,.0f} isolated executions a second, "
              f"{statistics.median(rates['bug']):,.0f} with races")
        if rate < LEAST_EXECUTIONS:
            bench.missed.append(f"executions a second: {rate:,.0f}, and {LEAST_EXECUTIONS:,} are to be reached")
        for line in bench.missed:
            print(line)
        return 1 if arguments.require and bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())

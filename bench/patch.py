#!/usr/bin/env python3
# What a patched atomic instruction costs (--patch=yes), beside the same update built by heddle-c++.
#
#   bench/patch.py [--build=build] [--rounds=7] [--cpu=N] [--require]
#
# The time of one schedule with many updates, less that of one with few, by the number of updates between them: medians
# of all rounds, on one CPU. It contains the step, its record, and the driver's work on it. --require: ends with
# status 1 if a point takes a microsecond or more.
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FEW, MANY = 10_000, 510_000
MOST_NS = 1000


def parse_arguments():
    parser = argparse.ArgumentParser(description="the cost of a patched atomic instruction")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "build"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--require", action="store_true")
    return parser.parse_args()


def run(folder, *command):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")


def main():
    arguments = parse_arguments()
    build = os.path.abspath(arguments.build)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(HERE, "patched", "updates.cpp")
        for compiler, name in (("g++", "plain"), (os.path.join(build, "heddle-c++"), "instrumented")):
            run(folder, compiler, "-O2", "-std=c++20", "-pthread", source, "-o", name)

        def seconds(name, updates, *options):
            begin = time.perf_counter()
            run(folder, "taskset", "-c", str(arguments.cpu), os.path.join(build, "heddle"), "run", "-q", "-j1",
                "--max-schedules=1", "--determinism-check=0", "--prime=0", "--max-steps=1000000", "--races=ignore",
                *options, f"./{name}", str(updates))
            return time.perf_counter() - begin

        ways = {"patched": ("plain", "--patch=yes"), "built by heddle-c++": ("instrumented",),
                "plain, not patched": ("plain", "--patch=no")}
        costs = {way: [] for way in ways}
        for _ in range(arguments.rounds):
            for way, command in ways.items():
                difference = seconds(command[0], MANY, *command[1:]) - seconds(command[0], FEW, *command[1:])
                costs[way].append(difference / (MANY - FEW) * 1e9)
        for way, values in costs.items():
            print(f"{way:22} {statistics.median(values):7.0f} ns a point")
        if arguments.require and statistics.median(costs["patched"]) >= MOST_NS:
            sys.exit(f"a patched instruction takes {MOST_NS} ns or more")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# Executions per second of both carriers under fork isolation, on one pinned CPU: medians of rounds in which all
# workloads are measured in turn.
import argparse
import os
import sys

from measure import ROOT, Heddle, median, note, print_table, ratio

CARRIERS = ("fiber", "thread")

# workload: (preemption bound, most schedules in one measurement)
WORKLOADS = {"w1": (9, 5000), "w2": (3, 5000), "w3": (9, 5000), "w4": (1, 5000), "w6": (3, 5000)}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Executions per second of both carriers under fork isolation.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", type=int, default=0, help="the CPU that everything is pinned to")
    parser.add_argument("--workloads", default=",".join(WORKLOADS), help="which, separated by commas")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    return arguments


def measure(heddle, carrier, name, cpu):
    bound, limit = WORKLOADS[name]
    figures = heddle.run([name], str(cpu), "--isolation=fork", f"--carrier={carrier}", f"--max-preemptions={bound}",
                         f"--max-schedules={limit}")
    if figures is None:
        sys.exit(f"{name} on the {carrier} carrier could not be measured")
    return figures.rate, figures.report["schedules"]


def main():
    arguments = parse_arguments()
    heddle = Heddle(arguments.build)
    names = arguments.workloads.split(",")
    found = {(name, carrier): [] for name in names for carrier in CARRIERS}
    for number in range(arguments.rounds):
        note(f"round {number + 1} of {arguments.rounds}")
        for name, carrier in found:
            found[name, carrier].append(measure(heddle, carrier, name, arguments.cpu))
    rows = []
    for name in names:
        rates = [median([rate for rate, _ in found[name, carrier]]) for carrier in CARRIERS]
        rows.append([name, found[name, CARRIERS[0]][0][1], *rates, ratio(rates[1], rates[0])])
    print_table(f"Fork isolation, CPU {arguments.cpu}, medians of {arguments.rounds} rounds: executions per second",
                ["workload", "schedules", "fiber", "thread", "thread / fiber"], rows)


if __name__ == "__main__":
    main()

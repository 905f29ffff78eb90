#!/usr/bin/env python3
# Executions per second of both carriers under fork isolation, on one pinned CPU, round by round interleaved with the
# probe (../shared/prototype/shim.c, fork mode, same bound and limit) where it is there. Prints medians and ratios;
# with --require=0.7 the exit status tells whether the fiber carrier reaches that part of the probe on every workload.
import argparse
import os
import re
import statistics
import subprocess
import sys

from measure import PROTOTYPE, Heddle

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROBE_SOURCE = os.path.join(PROTOTYPE, "shim.c")
CARRIERS = ("fiber", "thread")

# workload: (preemption bound, most schedules in one measurement)
WORKLOADS = {"w1": (9, 5000), "w2": (3, 5000), "w3": (9, 5000), "w4": (1, 5000), "w6": (3, 5000)}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Executions per second of both carriers, beside the probe's.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", type=int, default=0, help="the CPU that everything is pinned to")
    parser.add_argument("--workloads", default=",".join(WORKLOADS), help="which, separated by commas")
    parser.add_argument("--require", type=float, help="least ratio of each carrier to the probe")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    return arguments


def build_probe(build):
    """The probe's library, or None with a line that says why not."""
    if not os.path.exists(PROBE_SOURCE):
        print("The probe is not here (../shared/prototype); measuring heddle alone.")
        return None
    library = os.path.join(build, "bench", "probe.so")
    command = ["gcc", "-O2", "-g", "-w", "-fPIC", "-shared", "-mfsgsbase", "-fno-strict-aliasing", PROBE_SOURCE, "-o",
               library, "-ldl", "-pthread"]
    if subprocess.run(command).returncode != 0:
        print("The probe could not be built; measuring heddle alone.")
        return None
    return library


def measure_probe(library, carrier, program, bound, limit, cpu):
    environment = dict(os.environ, SCT_MODE="fs", SCT_POOL="6", SCT_CPU=str(cpu), SCT_PB=str(bound), LIM=str(limit),
                       LD_PRELOAD=library)
    if carrier == "thread":
        environment["SCT_ENGINE"] = "K"
    done = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=300)
    match = re.search(r"exec=(\d+).*?(\d+) exec/s", done.stdout + done.stderr)
    return (int(match.group(2)), int(match.group(1))) if match else None


def measure_heddle(heddle, carrier, name, bound, limit, cpu):
    figures = heddle.run([name], str(cpu), "--isolation=fork", f"--carrier={carrier}", f"--max-preemptions={bound}",
                         f"--max-schedules={limit}")
    if figures is None:
        sys.exit(f"{name} on the {carrier} carrier could not be measured")
    return figures.rate, figures.report["schedules"]


def measure_round(arguments, probe, name, figures):
    bound, limit = WORKLOADS[name]
    program = os.path.join(arguments.build, "bench", name)
    heddle = Heddle(arguments.build)
    for carrier in CARRIERS:
        found = measure_probe(probe, carrier, program, bound, limit, arguments.cpu) if probe else None
        if found:
            figures.setdefault(f"probe {carrier}", []).append(found)
        figures.setdefault(carrier, []).append(measure_heddle(heddle, carrier, name, bound, limit, arguments.cpu))


def median_rate(figures, what):
    return statistics.median(rate for rate, _ in figures[what]) if what in figures else None


def print_line(name, figures):
    """One row of the table; returns the least ratio of a carrier to the probe, None without the probe."""
    cells = [name]
    ratios = []
    for carrier in CARRIERS:
        rate, probe = median_rate(figures, carrier), median_rate(figures, f"probe {carrier}")
        ratios.append(rate / probe if probe else None)
        cells += [f"{probe:,.0f}" if probe else "-", f"{rate:,.0f}", f"{ratios[-1]:.2f}" if probe else "-",
                  str(figures[carrier][0][1])]
    print("| " + " | ".join(f"{cell:>9}" for cell in cells) + " |", flush=True)
    return None if None in ratios else min(ratios)


def main():
    arguments = parse_arguments()
    probe = build_probe(arguments.build)
    names = arguments.workloads.split(",")
    heads = ["workload", "probe/s", "fiber/s", "/ probe", "schedules", "probe/s", "thread/s", "/ probe", "schedules"]
    print(f"Fork isolation, CPU {arguments.cpu}, medians of {arguments.rounds} rounds.")
    print("| " + " | ".join(f"{head:>9}" for head in heads) + " |")
    print("|" + "|".join(["-" * 10 + ":"] * len(heads)) + "|", flush=True)
    all_figures = {name: {} for name in names}
    for _ in range(arguments.rounds):
        for name in names:
            measure_round(arguments, probe, name, all_figures[name])
    ratios = [print_line(name, figures) for name, figures in all_figures.items()]
    if arguments.require is not None and any(ratio is None or ratio < arguments.require for ratio in ratios):
        sys.exit(f"Not every carrier reaches {arguments.require} of the probe on every workload.")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# How long --search=dpor takes to run one schedule of every class: search time alone (start-up apart), driver and
# target on all CPUs, as a user would run it. Beside it what model checkers took for the same program; they don't run
# real ones. Prints medians; the numbers of classes are asserted by the corpus, not here.
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# program: what others took
PROGRAMS = {
    "classes_sections_3x3": "",
    "classes_sections_3x4": "GenMC 3.6 s, Nidhugg 7.5 s",
    "classes_queue_2_2": "",
}


def measure(build, program):
    """(schedules, seconds) of one complete search."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        command = [os.path.join(build, "heddle"), "run", "--search=dpor", f"--json={report}", "--",
                   os.path.join(build, "corpus", program)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder,
                              timeout=300)
        if done.returncode != 0:
            sys.exit(f"{program}: heddle ended with status {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report, encoding="utf-8") as file:
            figures = json.load(file)
        return figures["schedules"], figures["seconds"]


def main():
    parser = argparse.ArgumentParser(description="Search time of --search=dpor.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    found = {program: [] for program in PROGRAMS}
    for _ in range(arguments.rounds):
        for program, results in found.items():
            results.append(measure(os.path.abspath(arguments.build), program))
    print(f"{'program':<24}{'classes':>9}{'median s':>10}{'classes/s':>11}  others")
    for program, results in found.items():
        seconds = statistics.median(result[1] for result in results)
        classes = results[0][0]
        print(f"{program:<24}{classes:>9,}{seconds:>10.2f}{classes / max(seconds, 1e-9):>11,.0f}  {PROGRAMS[program]}")


if __name__ == "__main__":
    main()

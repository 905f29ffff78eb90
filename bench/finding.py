#!/usr/bin/env python3
# How many schedules each search needs to find each bug of a suite. bench/finding: small programs of the shapes that
# comparisons of concurrency testing tools use (SCTBench, SafeStack, races of the kernel). bench/library: unit tests of
# concurrency libraries, as GAMBIT measured (PPoPP 2010, tables 1 and 2). bench/hapset: programs of the kinds that
# HaPSet was measured on (ICSE 2011, tables 1 to 5). Tables:
#   - by program and search: in how many runs the bug was found, schedules (median and range of the seeds), seconds of
#     processor time (of heddle and of the program, which does not depend on what else the machine does)
#   - how many bugs each search finds within 100, 1,000 and 10,000 schedules, beside what others published
#   - where --search=auto needs at most twice the schedules of the best other search
# Schedules that were thrown away because the search began anew count, too. Data races themselves are no bugs here, but
# racing places become scheduling points. --twins runs the correct twins instead, which must show no bug.
#
# A line is printed, and --json written, as soon as a search is through with a program. What is interrupted shows the
# tables of what was run. bench/gambit.py and bench/hapset.py make the tables of these papers with it.
#
# Build the programs first: cmake --build build --target heddle heddle_runtime bench_finding bench_library bench_hapset
import argparse
import concurrent.futures
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import measure

WITHOUT_SEED = {"bounded", "dpor", "delay"}  # every seed gives the same schedules
LIMITS = (100, 1_000, 10_000)
# Bugs found within the first two limits, of 49 programs, as the papers on these samplers report them.
PUBLISHED = {"RFF": (45.9, 47.0), "PERIOD": (37.4, 43.5), "POS": (35.2, 39.0), "PCT": (28.9, 35.1)}
PUBLISHED_PROGRAMS = 49
GRACE_S = 120  # for the start of a program, and for writing its report, beyond --time
NEVER = math.inf


def options_of(search):
    """ "bounded+priority=mdpor:pb" is a search with an option of its own."""
    name, *options = search.split("+")
    return [f"--search={name}", *(f"--{option.replace(':', ',')}" for option in options)]


class Run:
    """One search with one seed."""

    def __init__(self, program, search, seed):
        self.program, self.search, self.seed = program, search, seed
        self.status, self.schedules, self.seconds, self.bug, self.problem = None, 0, 0.0, None, None

    @property
    def needed(self):
        """Schedules up to the bug, that one included; NEVER if it was not found."""
        return NEVER if self.bug is None else self.schedules

    def go(self, arguments):
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            command = [os.path.join(arguments.build, "heddle"), "run", "-q", "-j1", "--races=report",
                       *options_of(self.search), f"--seed={self.seed}", f"--time={arguments.time}s", "--minimize=no",
                       f"--max-schedules={arguments.max_schedules}", f"--json={report}",
                       f"-o{os.path.join(folder, 'out')}", "--", path_of(arguments, self.program)]
            try:
                self.status, said, self.seconds = measure.run_timed(command, folder, arguments.time + GRACE_S)
            except subprocess.TimeoutExpired:
                self.problem = "did not end"
                return self
            if not os.path.exists(report):
                self.problem = (said.strip().splitlines() or ["no report"])[-1]
                return self
            with open(report, encoding="utf-8") as file:
                self.read(json.load(file))
        return self

    def read(self, report):
        bugs = report["bugs"]
        self.schedules = bugs[0]["schedule"] if bugs else report["schedules"]  # with those before a new beginning
        if bugs:
            self.bug = f"{bugs[0]['kind']}: {bugs[0]['message']}"
        if self.status not in (0, 1):
            self.problem = report.get("no_verdict_reason") or f"status {self.status}"

    def raw(self):
        return {"program": self.program, "search": self.search, "seed": self.seed, "status": self.status,
                "found": self.bug is not None, "schedules": self.schedules, "seconds": self.seconds, "bug": self.bug,
                "problem": self.problem}


def path_of(arguments, program):
    return os.path.join(arguments.build, "bench", arguments.suite, program)


def natural(name):
    """Sorts reorder_5 before reorder_10."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def programs_of(arguments):
    folder, pattern, twins = path_of(arguments, ""), arguments.programs, arguments.twins
    there = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    names = [name for name in there if name + "_fixed" in there and re.search(pattern, name)]
    if not names:
        sys.exit(f"{folder}: no programs; build bench_{arguments.suite}")
    return [name + "_fixed" if twins else name for name in sorted(names, key=natural)]


def searches_of(build):
    """Those that this build offers."""
    said = subprocess.run([os.path.join(build, "heddle"), "run", "--help"], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=True).stdout
    return re.search(r"--search=([\w|-]+)", said).group(1).split("|")


def depends_on_seed(search):
    return search.partition("+")[0] not in WITHOUT_SEED or "rand" in search or "hapset" in search


def planned(arguments):
    """The runs to be made, those of a program with a search side by side."""
    runs = []
    for program in programs_of(arguments):
        for search in arguments.searches:
            once = not (arguments.every_seed or depends_on_seed(search))
            runs += [Run(program, search, seed) for seed in range(1, 2 if once else arguments.seeds + 1)]
    return runs


def make_runs(arguments, on_group=lambda runs: None):
    """Makes all runs, and calls on_group with those of a program and a search when these are made. Returns them all;
    those that were made where it was interrupted."""
    made, group = [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
        runs = [pool.submit(lambda run: run.go(arguments), run) for run in planned(arguments)]
        try:
            for run in (future.result() for future in runs):
                if group and (group[0].program, group[0].search) != (run.program, run.search):
                    on_group(group)
                    keep(made, arguments.json)
                    group = []
                if run.problem:
                    measure.note(f"{run.program}, {run.search}, seed {run.seed}: {run.problem}")
                made.append(run)
                group.append(run)
        except KeyboardInterrupt:
            measure.note(f"interrupted after {len(made)} of {len(runs)} runs")
            pool.shutdown(wait=True, cancel_futures=True)
    if group:
        on_group(group)
    keep(made, arguments.json)
    return made


def keep(runs, path):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump([run.raw() for run in runs], file, indent=1)


def grouped(runs):
    """{(program, search): runs}, in the order of the runs."""
    groups = {}
    for run in runs:
        groups.setdefault((run.program, run.search), []).append(run)
    return groups


def schedules_shown(needed):
    return "-" if needed == NEVER else f"{needed:,.0f}"


def middle(values):
    """The upper median, which is one of the values: half of the runs that did not find the bug make it NEVER."""
    return sorted(values)[len(values) // 2]


def range_of(values):
    """Least and most schedules; "-" where a run did not find the bug."""
    low, high = schedules_shown(min(values)), schedules_shown(max(values))
    return low if low == high else f"{low} to {high}"


def begin_programs(arguments):
    """The head of the table whose lines print_group() prints."""
    widths = [max(len(name) for name in programs_of(arguments)), max(map(len, arguments.searches)), 8, 10, 20, 8]
    print("\nSchedules until the bug is found, those that were thrown away included\n")
    measure.print_row(["program", "search", "found", "median", "range", "seconds"], widths)
    measure.print_row(["-" * (width - 1) + ":" for width in widths], widths)
    return widths


def print_group(runs, widths):
    needed = [run.needed for run in runs]
    found = sum(run.bug is not None for run in runs)
    measure.print_row([runs[0].program, runs[0].search, f"{found} of {len(runs)}", schedules_shown(middle(needed)),
                       range_of(needed), float(measure.median([run.seconds for run in runs]))], widths)


def print_totals(groups, arguments):
    searches, max_schedules = list(dict.fromkeys(search for _, search in groups)), arguments.max_schedules
    limits = [limit for limit in LIMITS if limit <= max_schedules] or [max_schedules]
    rows = []
    for search in searches:
        programs = sum(name == search for _, name in groups)
        shares = [sum(sum(run.needed <= limit for run in runs) / len(runs)
                      for (_, name), runs in groups.items() if name == search) for limit in limits]
        rows.append([search, programs, *(f"{share:.1f} ({100 * share / programs:.0f} %)" for share in shares)])
    of_these_shapes = PUBLISHED if arguments.suite == "finding" else {}
    for name, found in of_these_shapes.items():
        cells = [f"{value:.1f} ({100 * value / PUBLISHED_PROGRAMS:.0f} %)" for value in found]
        rows.append([f"{name}, published", PUBLISHED_PROGRAMS, *(cells + ["-"])[:len(limits)]])
    measure.print_table("Bugs found, mean of the seeds (published figures are of programs of these shapes)",
                        ["search", "programs", *(f"within {limit:,}" for limit in limits)], rows)


def print_auto(groups, searches):
    others = [search for search in searches if search != "auto"]
    if "auto" not in searches or not others:
        return
    rows, near, lost = [], 0, 0
    programs = [program for program in sorted({program for program, _ in groups}, key=natural)
                if all((program, search) in groups for search in searches)]
    for program in programs:
        medians = {search: middle([run.needed for run in groups[program, search]]) for search in searches}
        best = min(others, key=medians.get)
        is_near = medians["auto"] <= 2 * medians[best]
        near += is_near
        lost += medians["auto"] == NEVER and medians[best] != NEVER
        if not is_near:
            rows.append([program, schedules_shown(medians["auto"]), best, schedules_shown(medians[best])])
    measure.print_table(f"auto needs at most twice the schedules of the best other search for {near} of "
                        f"{len(programs)} programs, and loses {lost} that another finds. The rest",
                        ["program", "auto", "best", "schedules"], rows)


def print_twins(groups):
    """Whether none of the correct programs shows a bug."""
    rows = [[program, search, run.seed, run.schedules, run.bug] for (program, search), runs in groups.items()
            for run in runs if run.bug is not None]
    most = max((run.schedules for runs in groups.values() for run in runs), default=0)
    measure.print_table(f"Bugs in correct programs (up to {most:,} schedules each): {len(rows)}",
                        ["program", "search", "seed", "schedules", "bug"], rows)
    return not rows


def make_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", default=os.path.join(measure.ROOT, "build"))
    parser.add_argument("--suite", choices=("finding", "library", "hapset"), default="finding",
                        help="shapes of comparisons; unit tests of libraries (GAMBIT); programs of HaPSet's kinds")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--every-seed", action="store_true",
                        help="also for searches that do not depend on it: " + ", ".join(sorted(WITHOUT_SEED)))
    parser.add_argument("--searches", help="which, separated by commas (default: all that the build "
                        "offers); also with options: bounded+priority=mdpor:pb")
    parser.add_argument("--programs", default="", metavar="REGEX", help="which programs")
    parser.add_argument("--max-schedules", type=int, default=10_000)
    parser.add_argument("--time", type=int, default=60, help="seconds for each run")
    parser.add_argument("-j", type=int, default=1, help="runs at a time")
    parser.add_argument("--json", metavar="FILE", help="keep the results of all runs")
    parser.add_argument("--twins", action="store_true", help="run the correct twins, which must show no bug")
    return parser


def parse_arguments(parser, searches=None):
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    chosen = arguments.searches.split(",") if arguments.searches else (searches or searches_of)(arguments.build)
    arguments.searches = chosen
    return arguments


def main():
    arguments = parse_arguments(make_parser("How many schedules each search needs to find each bug."))
    if arguments.twins:
        runs = make_runs(arguments)
        in_order = print_twins(grouped(runs))
    else:
        widths = begin_programs(arguments)
        runs = make_runs(arguments, lambda group: print_group(group, widths))
        if not runs:
            return 1
        print_totals(grouped(runs), arguments)
        print_auto(grouped(runs), arguments.searches)
        in_order = True
    all_made = len(runs) == len(planned(arguments))
    return 0 if in_order and all_made and not any(run.problem for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())

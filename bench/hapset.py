#!/usr/bin/env python3
# Tables 1 to 5 of HaPSet (Wang, Said, Gupta, ICSE 2011) with our own programs of the same kinds (bench/hapset):
# schedules and processor seconds until the bug is found, for HaPSet's guide, partial-order reduction, and all schedules
# with at most so many preemptions. What is about growth with threads comes as plots, too.
#
# Build first: cmake --build build --target heddle heddle_runtime bench_hapset
import os
import re
import sys

import finding
import measure
import plot

# As the paper names them. It guides each kind of search.
NAMES = {"auto": "auto", "bounded+guide=hapset": "HaPSet, bounded", "dpor+guide=hapset": "HaPSet, DPOR",
         "bounded+priority=hapset:pb": "priority hapset", "dpor": "DPOR",
         **{f"bounded+max-preemptions={bound}": f"PCB{bound}" for bound in range(5)}}
GROWTH = {"thread_manager": "workers", "download": "threads"}
TABLES = (("Table 1, a thread manager with its workers", "^thread_manager"),
          ("Tables 2 to 4, a downloader", "^download"),
          ("Table 2, a compressor with an order violation, the race that remains, and a file scanner",
           "^compress|^scan_files"),
          ("Table 5, extracted bugs", ""))


def cell(runs):
    """ "12 (0.1 s)", or how often it was found where that is not always."""
    found = sum(run.bug is not None for run in runs)
    needed = finding.middle([run.needed for run in runs])
    seconds = measure.median([run.seconds for run in runs])
    if found == 0:
        return f"- ({seconds:.1f} s)"
    share = "" if found == len(runs) else f", {found} of {len(runs)}"
    return f"{finding.schedules_shown(needed)} ({seconds:.1f} s{share})"


def print_tables(groups):
    searches = list(dict.fromkeys(search for _, search in groups))
    left = list(dict.fromkeys(program for program, _ in groups))
    for title, pattern in TABLES:
        own = [program for program in left if re.search(pattern, program)]
        left = [program for program in left if program not in own]
        there = [[groups.get((program, search)) for search in searches] for program in own]
        rows = [[program, *(cell(runs) if runs else "" for runs in line)] for program, line in zip(own, there)]
        if rows:
            measure.print_table(f"{title}: schedules until the bug (processor seconds); -: not found",
                                ["program", *(NAMES.get(search, search) for search in searches)], rows)


def plot_growth(groups, folder):
    for program, unit in GROWTH.items():
        curves = {}
        for (name, search), runs in groups.items():
            number = re.fullmatch(program + r"_(\d+)", name)
            needed = finding.middle([run.needed for run in runs])
            if number and needed != finding.NEVER:
                curves.setdefault(NAMES.get(search, search), []).append((int(number.group(1)), needed))
        plot.write(os.path.join(folder, f"hapset-{program}.svg"), f"{program}: schedules until the bug", unit,
                   "schedules", curves, log_y=True)


def main():
    parser = finding.make_parser("The tables of HaPSet with the programs of bench/hapset.")
    parser.set_defaults(suite="hapset", seeds=3, time=60, max_schedules=20_000)
    parser.add_argument("--plots", default=".", metavar="FOLDER", help="where the plots are written")
    arguments = finding.parse_arguments(parser, lambda _: list(NAMES))
    os.makedirs(arguments.plots, exist_ok=True)
    widths = finding.begin_programs(arguments)
    runs = finding.make_runs(arguments, lambda group: finding.print_group(group, widths))
    print_tables(finding.grouped(runs))
    plot_growth(finding.grouped(runs), arguments.plots)
    return 0 if len(runs) == len(finding.planned(arguments)) and not any(run.problem for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())

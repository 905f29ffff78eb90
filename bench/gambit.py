#!/usr/bin/env python3
# Tables 1 and 2 of GAMBIT (Coons, Burckhardt, Musuvathi, PPoPP 2010) with our own programs (bench/library), and two
# kinds of curves. Sections:
#   - bugs: schedules and seconds until each of the 23 bugs is found, depth first and best first, with at most two
#     preemptions and with partial-order reduction
#   - memory: what the schedules that wait take, against a tree of schedules with a node for each step (section 5.4)
#   - classes: how many schedules differ in more than the order of independent steps, by bound and by time (curves as in
#     Musuvathi and Qadeer, PLDI 2007)
#
# Build first: cmake --build build --target heddle heddle_runtime bench_library example_depth_first tree_bench
import json
import os
import subprocess
import sys
import tempfile

import finding
import measure
import plot

GOAL_S = 120  # for all bugs
BOUNDED = "bounded+max-preemptions=2+priority="
# The paper's columns. --search=dpor has an order of its own.
BEST_FIRST = ("pb", "mdpor:pb", "ss:mdpor", "race:pb", "new:pb", "hapset:pb", "rand")
WITHOUT_BOUND = ("pb", "mdpor:pb")
CLASSES = ("collection_completed_meanwhile", "queens_lost_count", "semaphore_no_second_look", "region_merged_away",
           "bag_item_taken_twice")
BOUNDS, TIMES_S = (0, 1, 2, 3), (1, 2, 4, 8)


def searches(build):
    depth_first = os.path.join(build, "examples", "depth_first.so")
    return ["auto", "dpor", f"bounded+priority={depth_first}", f"{BOUNDED}{depth_first}",
            *(f"bounded+priority={name}" for name in WITHOUT_BOUND), *(BOUNDED + name for name in BEST_FIRST)]


def short(search):
    """ "bounded+max-preemptions=2+priority=mdpor:pb" → "mdpor,pb, at most 2"."""
    name, *options = search.split("+")
    values = dict(option.partition("=")[::2] for option in options)
    if "priority" not in values:
        return name
    priority = os.path.basename(values["priority"]).removesuffix(".so").replace("_", " ").replace(":", ",")
    return priority + (f", at most {values['max-preemptions']}" if "max-preemptions" in values else "")


def print_searches(groups):
    """How many bugs each search finds, and what all of them take."""
    rows = []
    names = list(dict.fromkeys(search for _, search in groups))
    for name in names:
        own = [runs for (_, search), runs in groups.items() if search == name]
        seconds = sum(measure.median([run.seconds for run in runs]) for runs in own)
        found = sum(sum(run.bug is not None for run in runs) / len(runs) for runs in own)
        rows.append([short(name), f"{found:.1f} of {len(own)}", round(seconds)])
    measure.print_table("Bugs found, and processor seconds for all programs; where nothing is found, to the limit",
                        ["search", "found", "seconds"], rows)
    of_auto = [run for (_, search), runs in groups.items() if search == "auto" for run in runs]
    if of_auto:
        worst = max(sum(run.seconds for run in of_auto if run.seed == seed) for seed in {run.seed for run in of_auto})
        met = worst <= GOAL_S and all(run.bug for run in of_auto)
        print(f"\nThe default search {'finds' if met else 'DOES NOT FIND'} all bugs within {GOAL_S} s, "
              f"with each seed (the slowest took {worst:.0f} s).")


def plot_bugs(groups, folder):
    """Bugs found within so many seconds for each, by search."""
    curves = {}
    for (_, search), runs in groups.items():
        curves.setdefault(short(search), []).extend(run.seconds for run in runs if run.bug is not None)
    share = {search: len(runs) for (_, search), runs in groups.items()}
    points = {name: [(max(seconds, 0.01), (number + 1) / share[search])
                     for number, seconds in enumerate(sorted(curves[name]))]
              for search in share for name in [short(search)]}
    plot.write(os.path.join(folder, "gambit-bugs.svg"), "Bugs of bench/library found",
               "processor seconds for each bug", "bugs", points, log_x=True)


def measure_bugs(arguments):
    widths = finding.begin_programs(arguments)
    groups = finding.grouped(finding.make_runs(arguments, lambda runs: finding.print_group(runs, widths)))
    print_searches(groups)
    plot_bugs(groups, arguments.plots)


def run_heddle(arguments, program, *options):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        subprocess.run([os.path.join(arguments.build, "heddle"), "run", "-q", "-j1", "--races=report",
                        f"--json={report}", f"-o{folder}/out", *options, "--",
                        finding.path_of(arguments, program + "_fixed")],
                       cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        with open(report, encoding="utf-8") as file:
            return json.load(file)


def measure_classes(arguments):
    """Of the correct twins, so that no bug ends a search."""
    by_bound, by_time = {}, {}
    widths = [max(map(len, CLASSES)), 9, 10, 10, 7, 7]
    print("\nDifferent schedules, up to the order of independent steps\n")
    measure.print_row(["program", "search", "schedules", "different", "seconds", "it ran"], widths)
    measure.print_row(["-" * (width - 1) + ":" for width in widths], widths)

    def measured(program, name, *options):
        """A point of a curve; and was everything run?"""
        report = run_heddle(arguments, program, *options)
        proved, bound = report["preemption_bound_proved"], name.removeprefix("at most ")
        whole = report["complete"] or (bound.isdigit() and proved is not None and proved >= int(bound))
        measure.print_row([program, name, report["schedules"], report["distinct_executions"], float(report["seconds"]),
                           "all" if whole else "cut off"], widths)
        return report["seconds"], report["distinct_executions"], whole

    for program in CLASSES:
        for bound in BOUNDS:
            _, different, whole = measured(program, f"at most {bound}", "--search=bounded",
                                           f"--max-preemptions={bound}", f"--time={arguments.time}s")
            if not whole:
                break
            by_bound.setdefault(program, []).append((bound, different))
        for search in ("bounded", "dpor", "random"):
            for limit_s in TIMES_S:
                seconds, different, whole = measured(program, search, f"--search={search}", f"--time={limit_s}s")
                by_time.setdefault(program, {}).setdefault(search, []).append((seconds, different))
                if whole:
                    break
        plot.write(os.path.join(arguments.plots, f"classes-by-time-{program}.svg"), f"{program}: different schedules",
                   "seconds", "different schedules", by_time[program], log_y=True)
    plot.write(os.path.join(arguments.plots, "classes-by-bound.svg"), "Different schedules by bound", "preemptions",
               "different schedules", by_bound, log_y=True)


def measure_memory(arguments):
    """tree_bench pretends the target, so this is the same on every machine."""
    said = subprocess.run([os.path.join(arguments.build, "bench", "tree_bench")], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=True).stdout
    samples = [[int(number) for number in line.split()] for line in said.splitlines()]
    ratios = [plain / ours for _, _, ours, plain in samples]
    measure.print_table("Memory of the schedules that wait, every 1,000 executions, against a tree of schedules with a "
                        "node of 16 bytes for each step",
                        ["executions", "most waiting", "bytes", "tree's bytes", "mean ratio", "least", "most"],
                        [[samples[-1][0], *(max(sample[i] for sample in samples) for i in (1, 2, 3)),
                          sum(ratios) / len(ratios), min(ratios), max(ratios)]])
    plot.write(os.path.join(arguments.plots, "frontier.svg"), "What schedules that wait take", "executions", "bytes",
               {"as kept": [(sample[0], sample[2]) for sample in samples],
                "a node for each step": [(sample[0], sample[3]) for sample in samples]})


SECTIONS = {"bugs": measure_bugs, "memory": measure_memory, "classes": measure_classes}


def main():
    parser = finding.make_parser("The tables of GAMBIT with the programs of bench/library.")
    parser.set_defaults(suite="library", seeds=3, time=20, max_schedules=10**9)
    parser.add_argument("--sections", default=",".join(SECTIONS), help="which, separated by commas (default: all)")
    parser.add_argument("--plots", default=".", metavar="FOLDER", help="where the plots are written")
    arguments = finding.parse_arguments(parser, searches)
    os.makedirs(arguments.plots, exist_ok=True)
    for section in arguments.sections.split(","):
        if section not in SECTIONS:
            sys.exit(f"there is no section {section}; there are {', '.join(SECTIONS)}")
        SECTIONS[section](arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())

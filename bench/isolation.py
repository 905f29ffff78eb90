#!/usr/bin/env python3
# What snapshots, checkpoints and two workers gain, against fork isolation and a peer: the figures of the performance
# goals as Markdown tables (and --json=FILE). Everything of one row is measured in turn, round by round;
# the figures are medians. What this build of heddle can't do is left out with a line that says so.
import argparse
import json
import os
import sys
import tempfile

from measure import Heddle, Relacy, interleaved, native_rate, note, print_table, ratio, start_rate

SNAPSHOT, FORK = "--isolation=snapshot", "--isolation=fork"
# What an execution costs: the peer does not know which schedules are equivalent. bench/search.py measures what it
# costs, and brings, to know.
PLAIN = "--reduction=none"
# Executions in one measurement: about a second or less of each.
SNAPSHOTS, FORKS = 300_000, 5_000
ON_WORKERS = 2_000_000  # enough that starting the second worker hardly counts

# workload: (preemption bound, goal, the other isolation's figure that it is a multiple of; tasks, sections for a
# native run)
# The bounds are so high that a search has some hundred thousand schedules, or all that there are (w1, w3).
SMALL = {"w1": (9, "25 x fork", (2, 2)), "w2": (6, "25 x fork", (3, 2)), "w3": (9, "25 x fork", None),
         "w4": (1, "20 x fork", None), "w6": (9, "25 x fork", None),
         "sections_2x5": (6, "-", (2, 5)), "sections_3x4": (4, "-", (3, 4))}
# The tests of them that bench/peers/relacy.cpp does, too.
SHARED_WITH_RELACY = ("w1", "w2", "w4")


class Bench:
    def __init__(self, arguments):
        self.rounds, self.long = arguments.rounds, arguments.long
        self.cpu, self.other = (cpu.strip() for cpu in arguments.cpus.split(","))
        self.both = f"{self.cpu},{self.other}"
        self.heddle = Heddle(arguments.build, arguments.realtime)
        self.realtime = arguments.realtime
        self.results = {}

    def rate(self, executions, command, cpus, *options):
        figures = self.heddle.run_about(executions, command, cpus, *options)
        return figures.rate if figures else None

    def keep(self, section, name, values):
        self.results.setdefault(section, {})[name] = values
        note(f"{section} {name}: " + ", ".join(f"{key} {value}" for key, value in values.items()))
        return values

    def alone(self):
        """One worker and a plain search, where there is a choice."""
        return [option for option in ("-j1", PLAIN) if self.heddle.offers(option)]

    # Each section measures its rows and prints them.

    def small(self):
        rows = []
        for name, (bound, goal, shape) in SMALL.items():
            options = [f"--max-preemptions={bound}", *self.alone()]
            values = self.keep("small", name, interleaved(self.rounds, {
                "fork": lambda: self.rate(FORKS, [name], self.cpu, FORK, *options),
                "snapshot": lambda: self.rate(SNAPSHOTS, [name], self.cpu, SNAPSHOT, *options),
                "snapshot_two_cpus": lambda: self.rate(SNAPSHOTS, [name], self.both, SNAPSHOT, *options),
                "native": lambda: native_rate(self.heddle, *shape, 2000, self.cpu) if shape else None}))
            rows.append([name, bound, values["fork"], values["snapshot"], ratio(values["snapshot"], values["fork"]),
                         values["snapshot_two_cpus"], values["native"], goal])
        print_table(f"Small tests: executions per second, all on CPU {self.cpu}; then the target on one CPU and the "
                    f"driver on the other. Native: create and join without heddle.",
                    ["workload", "bound", "fork", "snapshot", "/ fork", "two CPUs", "native", "goal"], rows)

    def peers(self):
        """Relacy simulates the threads of a test that is written for it, and neither isolates nor records them."""
        relacy = Relacy(self.heddle.build, self.realtime)
        if not relacy.there:
            return
        rows = []
        for name in SHARED_WITH_RELACY:
            bounded = [f"--max-preemptions={SMALL[name][0]}", *self.alone()]
            random = ["--search=random", "-j1", f"--max-schedules={SNAPSHOTS}"]
            values = self.keep("peers", name, interleaved(self.rounds, {
                "relacy": lambda: relacy.rate(name, self.cpu),
                "bounded": lambda: self.rate(SNAPSHOTS, [name], self.cpu, SNAPSHOT, *bounded),
                "random": lambda: self.measured(lambda f: f.rate, [name], self.cpu, SNAPSHOT, *random)}))
            rows.append([name, values["relacy"], values["bounded"], ratio(values["bounded"], values["relacy"]),
                         values["random"], ratio(values["random"], values["relacy"])])
        print_table(f"A peer: executions per second of Relacy's random scheduler, and of heddle's searches on "
                    f"snapshots, all on CPU {self.cpu}",
                    ["workload", "relacy", "bounded", "/ relacy", "random", "/ relacy"], rows)

    def searches(self):
        """A whole search to the same bound, without reductions and with all."""
        rows = []
        for name in ("sections_2x5", "sections_3x4"):
            bound = SMALL[name][0]
            shapes = {}  # schedules of one search, and steps of each

            def microseconds(what, options, name=name, bound=bound, shapes=shapes):
                options = [SNAPSHOT, f"--max-preemptions={bound}", "--time=10m", *options]
                if what not in shapes:
                    once = self.heddle.run([name], self.cpu, *options)
                    if once is None:
                        return None
                    shapes[what] = once.report["schedules"], once.report["steps_max"]
                rate = self.rate(SNAPSHOTS, [name], self.cpu, *options)
                return rate and shapes[what][0] / rate * 1e6

            values = self.keep("searches", name, interleaved(self.rounds, {
                "plain": lambda: microseconds("plain", self.alone()),
                "default": lambda: microseconds("default", ["-j1"])}))
            for what, (schedules, steps) in shapes.items():
                rows.append([name, bound, what, round(schedules), round(steps), round(values[what]),
                             schedules * steps / values[what], ratio(values["plain"], values[what])])
        print_table(f"Whole searches, all on CPU {self.cpu}: microseconds for each, and steps in one (as if all were "
                    "run; checkpoints save some)",
                    ["test", "bound", "search", "schedules", "steps", "microseconds", "steps/us", "plain's time / its"],
                    rows)

    def resident(self):
        rows = []
        for megabytes, pages, goal in ((10, 80, "10 x fork"), (1024, 16, "-")):
            command = ["resident", str(megabytes), str(pages)]
            options = ["--max-preemptions=9", *self.alone()]
            values = self.keep("resident", f"{megabytes} MB", interleaved(self.rounds, {
                "fork": lambda: self.rate(500, command, self.cpu, FORK, *options),
                "snapshot": lambda: self.rate(20_000, command, self.cpu, SNAPSHOT, *options)}))
            rows.append([f"{megabytes} MB", pages, values["fork"], values["snapshot"],
                         ratio(values["snapshot"], values["fork"]), goal])
        print_table("Resident memory of which few pages are written: executions per second",
                    ["resident", "pages written", "fork", "snapshot", "/ fork", "goal"], rows)

    def starts(self):
        """A fresh start for each execution, beside the shell's of the same program."""
        rows = []
        for name, bound in (("w1", 9), ("w4", 1)):
            options = ["--isolation=exec", f"--max-preemptions={bound}", "--max-schedules=300", *self.alone()]
            values = self.keep("starts", name, interleaved(self.rounds, {
                "exec": lambda: self.measured(lambda f: f.rate, [name], self.cpu, *options),
                "native": lambda: start_rate(self.heddle, name, 300, self.cpu)}))
            rows.append([name, bound, values["exec"], values["native"], ratio(values["exec"], values["native"])])
        print_table("Fresh starts: executions per second under exec isolation; native: the program's starts by a shell",
                    ["workload", "bound", "exec", "native", "/ native"], rows)

    def checkpoints(self):
        if not self.heddle.offers("--checkpoints=never"):
            return note("checkpoints: this heddle has no --checkpoints; left out")
        rows = []
        for name, command in (("turn by turn", ["alternating", "250"]), ("side by side", ["steps", "2", "2000"])):
            rows += self.checkpoints_by_depth(name, command)
        print_table("Checkpoints with 2,000 points, bounds 0 to 2 in their order: steps and microseconds a schedule",
                    ["test", "schedules", "steps, on", "steps, off", "on", "off", "off / on", "goal"], rows)
        options = [SNAPSHOT, "--max-preemptions=9", "--max-schedules=20", "--time=10m", *self.alone()]
        values = self.on_and_off("300 ms of computation first", lambda extra: self.measured(
            lambda f: f.rate, ["prefix", "300"], self.cpu, *extra, *options))
        print_table("Checkpoints behind 300 ms of computation, 20 schedules: executions per second",
                    ["on", "off", "on / off", "goal"],
                    [[values["on"], values["off"], ratio(values["on"], values["off"]), "paid once"]])

    def on_and_off(self, name, measure):
        return self.keep("checkpoints", name, interleaved(self.rounds, {
            "on": lambda: measure([]), "off": lambda: measure(["--checkpoints=never"])}))

    def checkpoints_by_depth(self, name, command):
        """Rows: what has at most one preemption, and what follows of two, in stretches; by differences of runs."""
        def search(last, extra):
            limit = f"--max-schedules={last}" if last else "--max-preemptions=1"
            return self.heddle.run(command, self.cpu, SNAPSHOT, "--max-preemptions=2", "--time=10m", *self.alone(),
                                   *extra, limit)

        def per_schedule(what, runs):
            if None in runs:
                return None
            before, after = (run and run.report for run in runs)
            value, count = after[what], after["schedules"]
            return (value - before[what]) / (count - before["schedules"]) if before else value / count

        def microseconds(first, last, extra):
            taken = per_schedule("seconds", (search(first, extra) if first else False, search(last, extra)))
            return taken and taken * 1e6

        marks = [search(0, [])]
        marks += [search(last, []) for last in (20_000, 50_000, 300_000)]
        if None in marks:
            return []
        rows = []
        for before, after in zip([False, *marks], marks):
            first, last = before and before.report["schedules"], after.report["schedules"]
            values = self.on_and_off(f"{name}, {first + 1:,} to {last:,}",
                                     lambda extra, first=first, last=last: microseconds(first, last, extra))
            rows.append([name, f"{first + 1:,} to {last:,}", round(per_schedule("steps_run", (before, after))),
                         after.report["steps_max"], values["on"], values["off"], ratio(values["off"], values["on"]),
                         "5" if before else "-"])
        return rows

    def measured(self, what, command, cpus, *options, **more):
        figures = self.heddle.run(command, cpus, *options, **more)
        return what(figures) if figures else None

    def workers(self):
        if not self.heddle.offers("-j"):
            return note("workers: this heddle has no -j; left out")
        rows = []
        for name, bound in (("w2", 9), ("w4", 2), ("many_schedules", 3)):
            options = [SNAPSHOT, f"--max-preemptions={bound}", PLAIN]
            values = self.keep("workers", name, interleaved(self.rounds, {
                "one": lambda: self.rate(ON_WORKERS, [name], self.both, *options, "-j1"),
                "two": lambda: self.rate(ON_WORKERS, [name], self.both, *options, "-j2")}))
            rows.append([name, values["one"], values["two"], ratio(values["two"], values["one"]), "1.2 x one"])
        print_table("Workers on two CPUs: executions per second", ["workload", "one", "two", "two / one", "goal"], rows)

    def scale(self):
        rows = []
        for name, command in (("170,000 operations, 14 tasks", ["steps", "14", "170000"]),
                              ("1,000 tasks", ["steps", "1000", "2000"])):
            for isolation in (FORK, SNAPSHOT):
                options = [isolation, "--max-preemptions=1", "--max-steps=2000000", "--time=15s", *self.alone()]
                figures = self.heddle.run(command, self.both, *options, watch=True)
                if figures is None:
                    continue
                values = self.keep("scale", f"{name} {isolation[12:]}", {
                    "schedules": figures.report["schedules"], "rate": figures.rate,
                    "steps": figures.report["steps_max"], "tasks": figures.report["tasks_max"],
                    "step_ns": figures.step_ns, "heddle_mib": max(s[1] for s in figures.memory) / 1024,
                    "target_mib": max(s[2] for s in figures.memory) / 1024})
                rows.append([name, isolation[12:], values["steps"], values["tasks"], values["schedules"],
                             values["rate"], values["step_ns"], values["heddle_mib"], values["target_mib"]])
        print_table("Scale: bound 1 for 15 s", ["test", "isolation", "steps", "tasks", "schedules", "schedules/s",
                                                "ns a step", "MiB heddle", "MiB target"], rows)

    def steps(self):
        rows = []
        for operations, schedules in ((1000, 2000), (10_000, 200), (100_000, 20), (1_000_000, 4)):
            common = ["--max-preemptions=1", "--max-steps=4000000", "--execution-timeout=120s", "--time=10m",
                      *self.alone()]
            values = {}
            for isolation in (FORK, SNAPSHOT):
                command = ["steps", "2", str(operations)]
                key = isolation[12:]
                values[key] = self.step_cost(command, schedules, isolation, *common)
                if values[key] is None:
                    values[key] = {"step_ns": None, "heddle_mib": None}
            trace_bytes = self.trace_bytes(["steps", "2", str(operations), "1"], *common)
            self.keep("steps", f"{operations:,}", {**values, "trace_bytes": trace_bytes})
            rows.append([operations, values["fork"]["step_ns"], values["snapshot"]["step_ns"],
                         values["fork"]["heddle_mib"], values["snapshot"]["heddle_mib"], trace_bytes])
        print_table("Step cost over the length of a run: nanoseconds a step (whole executions with at most one "
                    "preemption), peak memory of heddle in MiB, bytes of the trace file a step",
                    ["operations", "fork", "snapshot", "MiB, fork", "MiB, snapshot", "trace"], rows)

    def step_cost(self, command, schedules, isolation, *options):
        """Medians of what a step costs, by what so many schedules take beyond a few, and of heddle's peak memory."""
        few = 4
        if self.heddle.offers("--checkpoints=never"):
            options = (*options, "--checkpoints=never")
        costs, peaks = [], []
        for _ in range(self.rounds):
            runs = [self.heddle.run(command, self.cpu, isolation, *options, f"--max-schedules={limit}", watch=True)
                    for limit in (few, few + schedules)]
            if None in runs:
                return None
            before, after = (run.report for run in runs)
            steps = (after["schedules"] - before["schedules"]) * after["steps_max"]
            costs.append((after["seconds"] - before["seconds"]) * 1e9 / steps)
            peaks.append(max((sample[1] for sample in runs[1].memory), default=0) / 1024)
        middle = len(costs) // 2
        return {"step_ns": sorted(costs)[middle], "heddle_mib": sorted(peaks)[middle] or None}

    def trace_bytes(self, command, *options):
        """Bytes of the trace file for each step of a run that ends with a bug."""
        with tempfile.TemporaryDirectory() as folder:
            figures = self.heddle.run(command, self.cpu, FORK, *options, statuses=(1,),
                                      trace_to=os.path.join(folder, "out"))
            if figures is None or not figures.report["bugs"] or not figures.report["bugs"][0]["trace"]:
                return None
            return os.path.getsize(figures.report["bugs"][0]["trace"]) / figures.report["steps_max"]

    def growth(self):
        schedules = 10_000_000 if self.long else 200_000
        rows = []
        for isolation in (SNAPSHOT,) if self.long else (FORK, SNAPSHOT):
            limit = schedules if isolation == SNAPSHOT else schedules // 10
            figures = self.heddle.run(["many_schedules"], self.both, isolation, "--max-preemptions=9", "--time=2h",
                                      "--search=random", f"--max-schedules={limit}", *self.alone(), watch=True)
            if figures is None or len(figures.memory) < 10:
                continue
            early, late = figures.memory[len(figures.memory) // 10], figures.memory[-2]
            values = self.keep("growth", isolation[12:], {
                "schedules": figures.report["schedules"], "rate": figures.rate, "heddle_early_mib": early[1] / 1024,
                "heddle_late_mib": late[1] / 1024, "target_early_mib": early[2] / 1024,
                "target_late_mib": late[2] / 1024})
            rows.append([isolation[12:], *values.values()])
        print_table("Growth: resident MiB after a tenth of the time and at the end (random search, which keeps nothing "
                    "of what it has run)", ["isolation", "schedules", "schedules/s", "heddle, early", "late",
                                            "target, early", "late"], rows)


SECTIONS = ("small", "peers", "searches", "resident", "starts", "checkpoints", "workers", "scale", "steps", "growth")


def parse_arguments():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description="Snapshots, checkpoints and workers against forks and a peer.")
    parser.add_argument("--build", default=os.path.join(root, "build"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpus", default="0,1", help="two CPUs; what is pinned to one runs on the first")
    parser.add_argument("--sections", default=",".join(SECTIONS), help="which tables, separated by commas")
    parser.add_argument("--json", help="a file for all figures")
    parser.add_argument("--long", action="store_true", help="ten million schedules where memory growth is measured")
    parser.add_argument("--realtime", action="store_true", help="run before everything else on the machine (chrt)")
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    unknown = set(arguments.sections.split(",")) - set(SECTIONS)
    if unknown:
        parser.error(f"there is no section {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return arguments


def main():
    arguments = parse_arguments()
    bench = Bench(arguments)
    print(f"Medians of {arguments.rounds} rounds.")
    for section in arguments.sections.split(","):
        getattr(bench, section)()
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"rounds": arguments.rounds, "sections": bench.results, "left_out": bench.heddle.reasons}, file,
                      indent=2)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())

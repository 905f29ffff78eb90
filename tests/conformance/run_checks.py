#!/usr/bin/env python3
# Runs a conformance program natively and under Heddle, on both carriers and every isolation, and compares what its
# checks print, line by line. README.md has the rules.
#
#   run_checks.py --heddle=… --build=… --source=… NAME     one program; its result goes to build/tests/conformance/
#   run_checks.py --heddle=… --build=… --source=… --total  the table of all programs, from those results
import fnmatch
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
MODES = [(carrier, isolation) for carrier in ("fiber", "thread") for isolation in ("auto", "fork", "exec")]
SCHEDULES = 2  # at random; each must print the same
OPTIONS = ("--search=random", f"--max-schedules={SCHEDULES}", "--timeouts=late", "--keep-going", "--output=all",
           "-j1", "--color=never", "--time=60s", "--execution-timeout=5s")
BEGIN, END = "== begin", "== end"
MODELLED = ("Modelled", "Dispatched")
WANTED_PER_FUNCTION = 3


def options_of(name):
    """More options of heddle, from a line "// heddle: …" in the program's head."""
    path = glob.glob(os.path.join(FOLDER, name + ".c*"))[0]
    with open(path, encoding="utf-8") as file:
        found = re.search(r"^// heddle: (.*)$", file.read(), re.MULTILINE)
    return found[1].split() if found else []


def checks_in(text):
    """What each run of the program printed: lists of lines from its begin to its end, or to where it stopped."""
    runs = []
    inside = False
    for line in text.splitlines():
        if line == BEGIN:
            runs.append([])
        elif line == END and runs:
            runs[-1].append(line)
        elif inside and runs:
            runs[-1].append(line)
        inside = line == BEGIN or (inside and line != END)
    return runs


def check_of(line):
    """The function and the condition, without what was seen."""
    return line.split(": ")[:2]


def compare(native, run):
    """{line natively: what was seen instead} for those that disagree."""
    differing = {}
    for number, line in enumerate(native):
        seen = run[number] if number < len(run) else "(not reached)"
        if seen != line:
            differing[line] = seen if check_of(seen) == check_of(line) else "(not reached)"
    return differing


def run_native(scratch, program):
    result = harness.run([program], scratch.folder, timeout_s=60)
    result.require_status(0)
    runs = checks_in(result.stdout)
    result.require(len(runs) == 1 and runs[0][-1:] == [END], "did not print its checks to the end")
    lines = runs[0][:-1]
    repeated = sorted({line for line in lines if lines.count(line) > 1})
    result.require(not repeated, f"these checks have the same name and result: {repeated}")
    return lines


def run_mode(scratch, program, native, carrier, isolation, options):
    command = [*OPTIONS, f"--carrier={carrier}", f"--isolation={isolation}", *options, program]
    result, _ = scratch.run_heddle(*command, timeout_s=100)
    runs = checks_in(result.stdout)
    differing = {} if len(runs) >= SCHEDULES else {line: "(not run)" for line in native}
    for run in runs:
        if run[-1:] != [END]:
            run.append("(stopped here)")
        differing |= compare(native, run)
    if result.status != harness.OK and not differing:
        differing = {native[-1]: f"heddle's status is {result.status}: {result.verdict}"}
    return differing, result


def known_disagreements(name):
    """[(pattern, reason)] of the lines that are known to disagree."""
    rows = []
    with open(os.path.join(FOLDER, "known_disagreements.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                program, pattern, reason = (field.strip() for field in line.split("|"))
                if program == name:
                    rows.append((pattern, reason))
    return rows


def run_program(name):
    program = harness.program(f"tests/conformance/{name}")
    surprises, all_differing, modes = [], {}, {}
    with harness.Scratch(f"conformance.{name}") as scratch:
        native = run_native(scratch, program)
        for carrier, isolation in MODES:
            differing, result = run_mode(scratch, program, native, carrier, isolation, options_of(name))
            modes[f"{carrier}, {isolation}"] = len(native) - len(differing)
            for line, seen in differing.items():
                all_differing.setdefault(line, f"{carrier}, {isolation}: {seen}")
            known = known_disagreements(name)
            new = [line for line in differing if not any(fnmatch.fnmatchcase(line, row[0]) for row in known)]
            if new:
                surprises.append((f"{carrier}, {isolation}", [(line, differing[line]) for line in new], result))
    keep(name, native, all_differing, modes)
    print_program(name, native, all_differing, surprises)
    return 1 if surprises else 0


def results_folder():
    folder = os.path.join(harness.OPTIONS.build, "tests", "conformance", "results")
    os.makedirs(folder, exist_ok=True)
    return folder


def keep(name, native, differing, modes):
    with open(os.path.join(results_folder(), name + ".json"), "w", encoding="utf-8") as file:
        json.dump({"checks": native, "differing": differing, "modes": modes}, file, indent=1)


def print_program(name, native, differing, surprises):
    print(f"{name}: {len(native) - len(differing)} of {len(native)} checks agree")
    for mode, rows, result in surprises:
        print(f"\n{mode}:")
        for line, seen in rows[:20]:
            print(f"  natively: {line}\n  heddle:   {seen}")
        print(f"  repeat: cd /tmp && {' '.join(result.command)}\n  its end: {result.verdict}")


def functions_with_few_checks(results):
    """[(function, number)] of what is modelled and has fewer checks than wanted, without a reason in the file."""
    sys.path.insert(0, os.path.join(harness.OPTIONS.source, "tools"))
    rows = __import__("api_table").rows()
    counts = {}
    for result in results.values():
        for line in result["checks"]:
            function = line.split(": ")[0]
            counts[function] = counts.get(function, 0) + 1
    with open(os.path.join(FOLDER, "fewer_than_three.txt"), encoding="utf-8") as file:
        excused = {line.split(":")[0] for line in file if ":" in line and not line.startswith("#")}
    return [(row.function, counts.get(row.function, 0)) for row in rows
            if row.status in MODELLED and counts.get(row.function, 0) < WANTED_PER_FUNCTION
            and row.function not in excused]


def total():
    names = sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(FOLDER, "*.c*")))
    results, problems = {}, []
    for name in names:
        path = os.path.join(results_folder(), name + ".json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                results[name] = json.load(file)
        else:
            problems.append(f"{name} has no result: run its test first (ctest -R conformance)")
    problems += [f"{function}: {count} checks, at least {WANTED_PER_FUNCTION} are wanted (or a reason in "
                 "tests/conformance/fewer_than_three.txt)" for function, count in functions_with_few_checks(results)]
    text = "\n".join(total_lines(results))
    print(text)
    print("\n".join(problems))
    with open(os.path.join(results_folder(), "total.txt"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return 1 if problems else 0


def total_lines(results):
    all_checks = sum(len(result["checks"]) for result in results.values())
    agree = all_checks - sum(len(result["differing"]) for result in results.values())
    yield f"{'program':24} {'checks':>6} {'agree':>6}"
    for name, result in sorted(results.items()):
        yield f"{name:24} {len(result['checks']):6} {len(result['checks']) - len(result['differing']):6}"
        for line, seen in result["differing"].items():
            yield f"    {line}\n      {seen}"
    deviating = sum("[documented:" in line for result in results.values() for line in result["checks"])
    functions = {line.split(": ")[0] for result in results.values() for line in result["checks"]}
    yield f"{all_checks} checks of {len(functions)} functions; natively {deviating} differ from the manual pages"
    yield (f"conformance: {agree} of {all_checks} checks agree with the native run, under both carriers and every "
           "isolation")


def main():
    names = harness.parse_options(sys.argv[1:])
    if names == ["--total"]:
        return total()
    try:
        return max(run_program(name) for name in names)
    except harness.Failure as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Whether includes go one way (docs/ARCHITECTURE.md says why):
#   layers  every folder of src/ may include itself and the layers listed for it;
#   floors  every folder of src/runtime may include itself and the floors below it;
#   cycles  no unit may include itself by way of others. A header and its source count as one unit.
import os
import re
import sys

import sources

BELOW = {
    "protocol": [],
    # Linked into the program; only its table is shared with the runtime.
    "instrument": [],
    # Loaded into CPython; it knows neither our headers nor Python's.
    "python": [],
    "model": ["protocol"],
    "runtime": ["protocol", "model", "instrument"],
    "trace": ["protocol"],
    "analysis": ["protocol", "trace"],
    "search": ["protocol", "trace", "analysis"],
    # What a farm hands out and takes back. It knows no processes.
    "farm": ["protocol", "trace", "analysis", "search"],
    # A report carries what the search promises, so it may name search/strategy.h.
    "report": ["protocol", "trace", "analysis", "search"],
    # It reads of which version a program's instrumentation is (instrument/table.h).
    "driver": ["protocol", "trace", "analysis", "search", "report", "instrument"],
    "cli": ["protocol", "trace", "analysis", "search", "farm", "report", "driver"],
}
# From the bottom to the top. What a lower one needs of a higher one it calls through state/up_calls.h.
FLOORS = ["os", "state", "ring", "heap", "snapshot", "detect", "schedule", "world", "patch", "calls",
          "system_calls", "carrier", "intercept", "control"]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def includes_of(path):
    """(line number, included path) of a file's includes of ours."""
    for number, line in enumerate(sources.read(path).splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1)


def problems_of(path):
    layer = path.split("/")[1]
    if layer not in BELOW:
        yield f"{path}: src/{layer} is no layer; add it to tools/check_layers.py and docs/ARCHITECTURE.md"
        return
    for number, included in includes_of(path):
        target = included.split("/")[0]
        if "/" not in included or included.startswith("."):
            yield f'{path}:{number}: write "{included}" from src/ on, as "layer/file.h"'
        elif target != layer and target not in BELOW[layer] and target != "heddle":
            allowed = ", ".join(BELOW[layer]) or "nothing"
            yield f"{path}:{number}: {layer} must not include {included} (allowed: {allowed})"


def floor_of(path):
    """The folder of src/runtime that `runtime/…` stands in; None: in src/runtime itself."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else None


def floor_problems(path):
    floor = floor_of(path.removeprefix("src/"))
    if floor not in FLOORS and not path.endswith(".def"):
        where = floor or "src/runtime"
        yield f"{path}: {where} is no floor of the runtime; put the file into one of {', '.join(FLOORS)}"
        return
    for number, included in includes_of(path):
        target = floor_of(included) if included.startswith("runtime/") else None
        if target in FLOORS and floor in FLOORS and FLOORS.index(target) > FLOORS.index(floor):
            yield f"{path}:{number}: {floor} must not include {included}, a higher floor; see state/up_calls.h"


def unit_of(path):
    return os.path.splitext(path.removeprefix("src/"))[0]


def cycles_of(graph):
    """The strongly connected parts of more than one unit (Tarjan, SIAM Journal on Computing 1972), each sorted."""
    order, lowest, stack, found = {}, {}, [], []

    def visit(unit):
        order[unit] = lowest[unit] = len(order)
        stack.append(unit)
        for other in graph[unit]:
            if other not in order:
                visit(other)
                lowest[unit] = min(lowest[unit], lowest[other])
            elif other in stack:
                lowest[unit] = min(lowest[unit], order[other])
        if lowest[unit] == order[unit]:
            part = stack[stack.index(unit):]
            del stack[stack.index(unit):]
            if len(part) > 1:
                found.append(sorted(part))

    for unit in sorted(graph):
        if unit not in order:
            visit(unit)
    return sorted(found)


def cycle_problems(files):
    graph = {unit_of(path): set() for path in files}
    for path in files:
        for _, included in includes_of(path):
            unit = unit_of(included)
            if unit in graph and unit != unit_of(path):
                graph[unit_of(path)].add(unit)
    for cycle in cycles_of(graph):
        yield f"src/{cycle[0]}.h: is in a cycle of includes: {' '.join(cycle)}"


def main():
    sys.setrecursionlimit(10_000)
    files = [path for path in sources.c_files() if path.startswith("src/") and path.count("/") > 1]
    problems = [problem for path in files for problem in problems_of(path)]
    problems += [problem for path in files if path.startswith("src/runtime/") for problem in floor_problems(path)]
    problems += cycle_problems(files)
    return sources.report(problems, f"layers of {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())

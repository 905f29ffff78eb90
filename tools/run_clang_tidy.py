#!/usr/bin/env python3
# clang-tidy on every translation unit of src/ that changed since it was last clean: what a unit was checked with
# (itself, the project's headers it includes, the command line, .clang-tidy) is hashed, and a hash that was clean once
# is not run again, in this tree or in a copy of it elsewhere. Each unit is noted as soon as it is clean, so a run that
# was cut off costs what was under way.
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

import sources

PROGRESS_EVERY = 20
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def closure(path, seen):
    """Adds `path` and every header of the project it includes, directly or not."""
    if path in seen or not os.path.exists(os.path.join(sources.ROOT, path)):
        return seen
    seen.add(path)
    for included in INCLUDE.findall(sources.read(path)):
        closure(os.path.join("src", included), seen)
    return seen


def digest(path, command):
    """What the unit was checked with; the folder that the tree lies in is no part of it."""
    hashed = hashlib.sha256(command.replace(sources.ROOT, ".").encode() + sources.read(".clang-tidy").encode())
    for name in sorted(closure(path, set())):
        hashed.update(name.encode() + sources.read(name).encode())
    return hashed.hexdigest()


def check(build, path):
    command = ["clang-tidy", "-p", build, "--quiet", "--extra-arg=-Wno-unknown-warning-option", path]
    result = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True)
    # What clang-tidy says when it can't run at all stands on its standard error, among counts of hidden warnings.
    return result.returncode, result.stdout or result.stderr


def units(build):
    """One command per source of src/; the runtime's own comes first where a file is compiled twice."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        rows = json.load(file)
    found = {}
    for row in rows:
        path = os.path.relpath(row["file"], sources.ROOT)
        if path.startswith("src/") and path.endswith(".cpp"):
            found.setdefault(path, row.get("command") or shlex.join(row["arguments"]))
    return found


def check_all(build, due, stamps):
    """Checks the units that are due, those that include most first; the number of those with findings."""
    failed = 0
    due = sorted(due, key=lambda path: len(closure(path, set())), reverse=True)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        running = {pool.submit(check, build, path): path for path in due}
        for done, future in enumerate(concurrent.futures.as_completed(running), start=1):
            path = running[future]
            status, text = future.result()
            if status == 0:
                open(stamps[path], "w", encoding="utf-8").close()
            else:
                failed += 1
                print(f"{path}: clang-tidy ended with {status}\n{text.strip()}", flush=True)
            if done % PROGRESS_EVERY == 0 and done < len(due):
                print(f"clang-tidy: {done} of {len(due)} files checked, {failed} with findings", flush=True)
    return failed


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
    clean = os.path.join(build, "clang-tidy-clean")
    os.makedirs(clean, exist_ok=True)
    stamps = {path: os.path.join(clean, digest(path, command)) for path, command in units(build).items()}
    due = [path for path, stamp in stamps.items() if not os.path.exists(stamp)]
    failed = check_all(build, due, stamps)
    print(f"clang-tidy: {len(stamps)} files, {len(due)} checked now, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# clang-tidy on every translation unit of src/ that changed since it was last clean. A hash covers everything that a
# unit was checked with (itself, the project's headers that it includes, the command line, .clang-tidy, clang-tidy's
# version). A hash that was clean once is not checked again: not in this tree, nor in another checkout, nor after the
# build folder was removed. The hashes lie in ~/.cache/heddle-tidy (XDG_CACHE_HOME).
#
# Where many units are due, as in a fresh checkout, most of the time would go into headers: each unit parses them, and
# each check walks through them. So units with the same options are checked together:
# - All checks but the analyzer's run on files that include a dozen units each, so headers are walked through once.
# - The analyzer, which looks at what stands in the main file only, runs on each unit, with the headers that most units
#   need precompiled.
# In CI nothing is known to be clean: of what was not changed lately a twelfth is checked, drawn by the commit.
#
# A unit with a finding there, or that can't be compiled together with others, is checked alone, and only that result
# counts. So the findings are those of clang-tidy on each unit by itself.
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
import zlib

import sources
from together import INCLUDE, closure, groups_of

PROGRESS_EVERY = 20
KEPT_DAYS = 60  # a hash that nobody asked for as long is forgotten
TOGETHER = 12  # units in one file
LATEST = 8  # commits whose files are always due
FEWEST = 4  # below that a precompiled header does not pay
UNITY = re.compile(r"/Unity/unity_\w+\.cxx$")
SYSTEM_INCLUDE = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)


def digest(path, flags, version):
    """What the unit was checked with; the folder that the tree lies in is no part of it."""
    hashed = hashlib.sha256(version.encode() + shlex.join(flags).replace(sources.ROOT, ".").encode() +
                            sources.read(".clang-tidy").encode())
    for name in sorted(closure(path, set())):
        hashed.update(name.encode() + sources.read(name).encode())
    return hashed.hexdigest()


def version_of(program):
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        return None
    return re.search(r"version (\d\S*)", said)[1]


def clang_tidy(*arguments):
    command = ["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option", *arguments]
    result = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True)
    # What clang-tidy says when it can't run at all stands on its standard error, among counts of hidden warnings.
    return result.returncode, result.stdout or result.stderr


def compiled_by(row):
    """The sources that a command compiles: several where the build compiles them as one (cmake/unity.cmake)."""
    if not UNITY.search(row["file"]):
        return [row["file"]]
    with open(row["file"], encoding="utf-8") as file:
        return INCLUDE.findall(file.read())


def units(build):
    """The compiler's options for each source of src/; the runtime's own come first where a file is compiled twice."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        rows = json.load(file)
    found = {}
    for row in rows:
        for path in (os.path.relpath(path, sources.ROOT) for path in compiled_by(row)):
            if path.startswith("src/") and path.endswith(".cpp"):
                found.setdefault(path, flags_of(row.get("command") or shlex.join(row["arguments"])))
    return found


def flags_of(command):
    """The compiler's options without the files."""
    words = shlex.split(command)[1:]
    return tuple(word for number, word in enumerate(words)
                 if word not in ("-o", "-c") and (number == 0 or words[number - 1] not in ("-o", "-c")))


class Batch:
    """The units that are due and have the same options: which of them may have findings."""

    def __init__(self, folder, flags, paths):
        self.folder, self.flags, self.paths = folder, flags, sorted(paths)
        os.makedirs(folder, exist_ok=True)
        self.headers = []

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def precompile(self):
        """The installed headers that half of the units reach."""
        if version_of("clang++") != version_of("clang-tidy"):
            return
        counts = {}
        for path in self.paths:
            for header in {name for one in closure(path, set()) for name in SYSTEM_INCLUDE.findall(sources.read(one))}:
                counts[header] = counts.get(header, 0) + 1
        often = sorted(header for header, count in counts.items() if count * 2 >= len(self.paths))
        header = self.write("headers.h", "".join(f"#include <{name}>\n" for name in often))
        command = ["clang++", *self.flags, "-w", "-x", "c++-header", header, "-o", header + ".pch"]
        if subprocess.run(command, cwd=sources.ROOT, capture_output=True).returncode == 0:
            self.headers = ["-include-pch", header + ".pch"]

    def analyze(self, path):
        """The unit, if the analyzer has findings, or what else looks at the main file only."""
        checks = re.findall(r"(?<![\w-])clang-analyzer[\w.*-]+", sources.read(".clang-tidy"))
        status, _ = clang_tidy("--config-file=.clang-tidy",
                               f"--checks=-*,bugprone-suspicious-include,{','.join(checks)}", path, "--",
                               *self.flags, *self.headers)
        return {path} if status else set()

    def check_group(self, group, name):
        """The units of the group in which the other checks may have findings: where they have one, or can't be compiled
        together, each half is tried by itself."""
        if len(group) == 1:
            return set(group)
        text = "".join(f'#include "{os.path.join(sources.ROOT, path)}"\n' for path in group)
        together = self.write(f"together_{name}.cpp", text)
        status, _ = clang_tidy("--config-file=.clang-tidy",
                               "--checks=-clang-analyzer-*,-bugprone-suspicious-include", together, "--", *self.flags)
        half = len(group) // 2
        return self.check_group(group[:half], name) | self.check_group(group[half:], name) if status else set()

    def tasks(self):
        """(function, the units that it checks, its arguments …)"""
        self.precompile()
        for number, group in enumerate(groups_of(self.paths, TOGETHER)):
            yield self.check_group, group, group, number
            if len(group) > 1:
                yield from ((self.analyze, [path], path) for path in group)


def check_together(build, due, stamps, pool):
    """Checks units with others; notes those that are clean, and returns those that have to be checked alone."""
    batches = {}
    for path, flags in due.items():
        batches.setdefault(flags, []).append(path)
    alone, tasks = set(), []
    for number, (flags, paths) in enumerate(sorted(batches.items())):
        if len(paths) < FEWEST:
            alone |= set(paths)
        else:
            tasks += Batch(os.path.join(build, "clang-tidy", str(number)), flags, paths).tasks()
    running = {pool.submit(check, *arguments): paths for check, paths, *arguments in tasks}
    left = {path: sum(path in paths for paths in running.values()) for path in due}
    for done, future in enumerate(concurrent.futures.as_completed(running), start=1):
        alone |= future.result()
        for path in running[future]:
            left[path] -= 1
            if left[path] == 0 and path not in alone:
                note_clean(stamps[path])
        if done % PROGRESS_EVERY == 0 and done < len(running):
            print(f"clang-tidy: {done} of {len(running)} runs, {len(alone)} files to be checked alone", flush=True)
    return alone


def note_clean(stamp):
    open(stamp, "w", encoding="utf-8").close()


def check_all(build, due, stamps):
    """Checks the units that are due, and notes those that are clean; how many were checked alone, and have findings."""
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        alone = check_together(build, due, stamps, pool)
        # Those that include most come first.
        ordered = sorted(alone, key=lambda path: len(closure(path, set())), reverse=True)
        running = {pool.submit(clang_tidy, path, "--", *due[path]): path for path in ordered}
        for future in concurrent.futures.as_completed(running):
            path = running[future]
            status, text = future.result()
            if status == 0:
                note_clean(stamps[path])
            else:
                failed += 1
                print(f"{path}: clang-tidy ended with {status}\n{text.strip()}", flush=True)
    return len(alone), failed


def clean_folder():
    """Where the hashes of what was clean are kept, without those that are out of use."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(cache, "heddle-tidy")
    os.makedirs(folder, exist_ok=True)
    for entry in os.scandir(folder):
        if entry.stat().st_mtime < time.time() - KEPT_DAYS * 86_400:
            os.remove(entry.path)
    return folder


def was_clean(stamp):
    if not os.path.exists(stamp):
        return False
    os.utime(stamp)
    return True


def changed_lately():
    """Files that the latest commits changed, without their endings; None: not known."""
    command = ["git", "diff", "--name-only", f"HEAD~{LATEST}"]
    changed = subprocess.run(command, cwd=sources.ROOT, capture_output=True, text=True)
    if changed.returncode != 0:
        return None
    return {os.path.splitext(path)[0] for path in changed.stdout.split()}


@functools.lru_cache(maxsize=None)
def turn():
    seed = os.environ.get("HEDDLE_DRAWN_SEED")
    return (seed, changed_lately()) if seed else (None, None)


def is_its_turn(path):
    """Where a seed is given, as in CI, where nothing is known to be clean: what was changed lately, and of the rest a
    twelfth, ever another one."""
    seed, changed = turn()
    if changed is None or os.path.splitext(path)[0] in changed:
        return True
    return zlib.crc32(f"{seed} {path}".encode()) % 12 == 0


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
    clean, version = clean_folder(), version_of("clang-tidy")
    flags = units(build)
    stamps = {path: os.path.join(clean, digest(path, flags[path], version)) for path in flags}
    due = {path: flags[path] for path, stamp in stamps.items() if not was_clean(stamp) and is_its_turn(path)}
    alone, failed = check_all(build, due, stamps)
    print(f"clang-tidy: {len(stamps)} files, {len(due)} checked now, {alone} of them alone, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# Runs heddle in a scratch folder, reads its JSON and its traces, and reports a failure with the command that repeats
# it. Two thousand tests begin by loading this file, so it imports little.
import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib

import schema

OK, BUG, USAGE, NO_VERDICT, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 130
OPTIONS = argparse.Namespace(heddle="build/heddle", build="build", source=".")


# What CI systems set is not for the programs that are run here.
os.environ.pop("GITHUB_ACTIONS", None)


def drawn(name, one_in=3):
    """Is it this one's turn? ./dev test draws, by the commit, a part of what takes long and hardly ever fails alone:
    ever another one. Without HEDDLE_DRAWN_SEED everything runs."""
    seed = os.environ.get("HEDDLE_DRAWN_SEED")
    return seed is None or zlib.crc32(f"{seed} {name}".encode()) % one_in == 0


class Failure(AssertionError):
    """Something does not hold; the text says what, and how to see it again."""


class Result:
    """One run of a command: its exit status and what it printed."""

    def __init__(self, command, folder, status, stdout, stderr):
        self.command, self.folder, self.status, self.stdout, self.stderr = command, folder, status, stdout, stderr

    @property
    def text(self):
        return self.stdout + self.stderr

    @property
    def verdict(self):
        """The line that says what was proved, or why there is no verdict; else the last one."""
        lines = [line for line in self.text.splitlines() if line.strip()]
        claims = [line for line in lines if line.startswith(("Proved:", "Nothing ", "No verdict:"))]
        return (claims or lines or [""])[-1]

    def require(self, condition, what):
        if not condition:
            raise Failure(f"{what}\n  repeat: cd {self.folder} && {shlex.join(self.command)}\n"
                          f"  status {self.status}, output:\n{self.text}")

    def require_status(self, status):
        self.require(self.status == status, f"expected exit status {status}, got {self.status}")

    def require_says(self, *texts):
        for text in texts:
            self.require(text in self.text, f"expected to read: {text}")


def run(command, folder, timeout_s=100, **more):
    """Runs a command to its end. What hangs is a failure of its own."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=timeout_s, **more)
    except subprocess.TimeoutExpired as late:
        output = b"".join(part for part in (late.stdout, late.stderr) if part).decode(errors="replace")
        raise Failure(f"did not end within {timeout_s} s\n"
                      f"  repeat: cd {folder} && {shlex.join(command)}\n{output}") from None
    return Result(command, folder, done.returncode, done.stdout, done.stderr)


def with_search(arguments):
    """Most tests look at the machinery, and count the schedules of the bounded search: it is the one that runs where
    none is named. Tests of the default search name it (--search=auto); automatic_test.py runs without a name."""
    words = [str(word) for word in arguments]
    named = any(word.startswith(("--search", "--like", "--help")) for word in words)
    return [words[0], "--search=bounded", *words[1:]] if words[:1] == ["run"] and not named else words


class Scratch:
    """A folder below the build folder, removed when all is well and kept when something failed."""

    def __init__(self, name):
        base = os.path.join(OPTIONS.build, "tests", "e2e")
        os.makedirs(base, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix=name + ".", dir=base)

    def __enter__(self):
        return self

    def __exit__(self, kind, *unused):
        if kind is None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def heddle(self, *arguments, **more):
        return run([OPTIONS.heddle, *with_search(arguments)], self.folder, **more)

    def run_heddle(self, *arguments, **more):
        """`heddle run`; returns the result and the JSON report (None when there is none)."""
        report = self.path("report.json")
        if os.path.exists(report):
            os.remove(report)
        result = self.heddle("run", f"--json={report}", *arguments, **more)
        result.require(result.status != INTERNAL, "internal error of heddle")
        if not os.path.exists(report):
            return result, None
        found = self.read_report(report)
        # Tests count what ran since the search began anew: how much came before depends on the speed of steps.
        found["schedules_in_all"] = found["schedules"]
        found["schedules"] -= found["schedules_given_up"]
        return result, found


    def read_report(self, path, kind="report"):
        """A report of `heddle run`, or of `heddle test` (kind "suite"), which is as its schema says."""
        with open(self.path(path), encoding="utf-8") as file:
            found = json.load(file)
        schemas = schema.Schemas(os.path.join(OPTIONS.source, "share", "heddle"))
        why = schemas.why_invalid(found, kind + ".schema.json")
        if why is not None:
            raise Failure(f"{path} is not as share/heddle/{kind}.schema.json says: {why}")
        return found


def program(name):
    """A program of the build folder, as in corpus/bank_account."""
    return os.path.join(OPTIONS.build, name)


def tests_before_accesses(path):
    """How many calls for plain accesses are left out natively (src/instrument/heddle-gcc-calls.s)."""
    with open(path, "rb") as file:
        return len(re.findall(rb"\x48\x83\x3d....\x00\x74[\x05\x06][\xe8\xff\x67]", file.read(), re.DOTALL))


def trace_of(report, scratch):
    """The path of the first bug's trace."""
    path = report["bugs"][0]["trace"]
    return path if os.path.isabs(path) else scratch.path(path)


def read_trace(path):
    """The JSON lines of a trace file."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def parse_options(arguments):
    parser = argparse.ArgumentParser()
    for name in ("heddle", "build", "source"):
        parser.add_argument("--" + name, required=True)
    options, rest = parser.parse_known_args(arguments)
    OPTIONS.heddle, OPTIONS.build, OPTIONS.source = (
        os.path.abspath(path) for path in (options.heddle, options.build, options.source))
    return rest

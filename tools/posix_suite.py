#!/usr/bin/env python3
# Runs the tests of a built Open POSIX test suite natively and under Heddle, and prints a table of those on which the
# two disagree. Not part of ./dev test: the suite is not Debian's. To build it, from a checkout of LTP:
#   cd testcases/open_posix_testsuite && ./configure && make conformance-all
#   tools/posix_suite.py FOLDER [--heddle build/heddle] [--carrier thread] [--only REGEX] [--all]
# FOLDER: any folder with built tests in it (*.run-test, *.test). Exit status: 0 if all agree, 1 if some differ, 2 if
# there was nothing to run.
import argparse
import collections
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

NATIVE_RUNS = 3
ENDINGS = (".run-test", ".test")
NAMES = {0: "pass", 1: "fail", 2: "unresolved", 4: "unsupported", 5: "untested"}  # as the suite defines them
NO_BUG, BUG, USAGE, NO_VERDICT = 0, 1, 2, 3
UNSTABLE = "unstable"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compares Open POSIX tests natively and under Heddle.")
    parser.add_argument("folder")
    parser.add_argument("--heddle", default="build/heddle")
    parser.add_argument("--carrier", default="fiber", choices=("fiber", "thread"))
    parser.add_argument("--only", default="", metavar="REGEX", help="tests whose path has a match")
    parser.add_argument("--time", type=int, default=20, metavar="S", help="of each search")
    parser.add_argument("--max-schedules", type=int, default=50, metavar="N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true", help="also the tests that agree")
    return parser.parse_args()


def tests_in(folder, only):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if name.endswith(ENDINGS) and os.access(path, os.X_OK) and re.search(only, path):
                yield path


def run(command, folder, timeout_s):
    """The exit status and what was printed; the status is None where the time was up."""
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            output = process.communicate(timeout=timeout_s)[0]
            return process.returncode, output.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # what it has left behind
            except ProcessLookupError:
                pass


def native_verdict(path, timeout_s):
    """Its exit status; UNSTABLE where it differs from run to run, or is no exit."""
    statuses = set()
    for _ in range(NATIVE_RUNS):
        with tempfile.TemporaryDirectory() as folder:
            statuses.add(run([path], folder, timeout_s)[0])
    status = statuses.pop()
    return UNSTABLE if statuses or status is None or status < 0 else status


def reason_of(report):
    """Why Heddle says what it says, in one line."""
    if report["bugs"]:
        bug = report["bugs"][0]
        return f"{bug['kind']}: {(bug['message'] or '').splitlines()[0] if bug['message'] else ''}"
    return report["no_verdict_reason"] or ""


def heddle_verdict(path, native, options):
    """(does it agree, what Heddle says)"""
    with tempfile.TemporaryDirectory() as folder:
        report_path = os.path.join(folder, "report.json")
        command = [os.path.abspath(options.heddle), "run", "-q", f"--json={report_path}",
                   f"--carrier={options.carrier}", f"--time={options.time}s",
                   f"--max-schedules={options.max_schedules}", f"--ok-exit={native}",
                   "--timeouts=late", "--max-preemptions=0", "--", path]
        status, output = run(command, folder, 5 * options.time + 60)
        if status is None:
            return False, "Heddle did not end"
        if status not in (NO_BUG, BUG, NO_VERDICT) or not os.path.exists(report_path):
            last = output.strip().splitlines()[-1:] or [""]
            return False, f"status {status}: {last[0]}"
        with open(report_path, encoding="utf-8") as file:
            report = json.load(file)
        if status == NO_BUG:
            return True, "no bug"
        # Without a thread there is nothing to explore.
        alone = status == NO_VERDICT and "without creating a thread" in reason_of(report)
        return alone, ("no verdict: " if status == NO_VERDICT else "") + reason_of(report)


def compare(path, options):
    native = native_verdict(path, options.time)
    if native == UNSTABLE:
        return path, native, True, "not compared"
    return path, NAMES.get(native, f"exit {native}"), *heddle_verdict(path, native, options)


def main():
    options = parse_arguments()
    paths = list(tests_in(options.folder, options.only))
    if not paths:
        print(f"{options.folder} has no built tests ({', '.join('*' + ending for ending in ENDINGS)})", file=sys.stderr)
        return 2
    if not os.access(options.heddle, os.X_OK):
        print(f"{options.heddle} is no program: build it (./dev build), or name it (--heddle)", file=sys.stderr)
        return 2
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, native, agrees, says in pool.map(lambda path: compare(path, options), paths):
            kind = UNSTABLE if native == UNSTABLE else "agree" if agrees else "differ"
            counts[kind] += 1
            if options.all or kind == "differ":
                print(f"{os.path.relpath(path, options.folder):60} {native:12} {says}", flush=True)
    print(f"{len(paths)} tests: {counts['agree']} agree, {counts['differ']} differ, "
          f"{counts[UNSTABLE]} without a stable native verdict")
    return 1 if counts["differ"] else 0


if __name__ == "__main__":
    sys.exit(main())

# One corpus program without heddle, on fibers, on threads (and compared), and with a fresh process per schedule: the
# result must be the one that its head expects. The lines of the head are described in corpus/README.md.
#
#   corpus.py --heddle build/heddle --build build --source . corpus/chess/bank_account.c [PART ...]
#
# PART: native, fiber, thread (compared with fiber, which it runs, too), exec; none: all, and under ./dev test threads
# and fresh processes for a third of the programs each, drawn by the commit. Each part makes one search and
# checks all of its output; it makes another only for a question that the first can't answer (is the bound below
# clean?). A trace from fibers is replayed and shown; the others were replayed by the search that found them.
import os
import re
import shlex
import sys

import runs

HEAD_LINE = re.compile(
    r"^// (heddle|args|expect|today|says|schedules|twin|needs|build|library|archive|module|isolation|runner): +(.*)$")


class Head:
    """What the head of a corpus program says."""

    def __init__(self, source):
        self.name = os.path.splitext(os.path.basename(source))[0]
        values = {}
        with open(source, encoding="utf-8") as file:
            for line in file:
                match = HEAD_LINE.match(line.rstrip())
                if match:
                    values.setdefault(match.group(1), []).append(match.group(2))
        if "heddle" not in values or "expect" not in values:
            raise runs.Failure(f"{source} lacks '// heddle:' or '// expect:'; see corpus/README.md")
        words = shlex.split(values["heddle"][0])
        assert words[0] == "run", f"{source}: '// heddle:' starts with run"
        self.options = words[1:]
        self.arguments = shlex.split(values.get("args", [""])[0])
        self.runner = values.get("runner", [None])[0]
        isolation = values.get("isolation", ["auto snapshot"])[0].split()
        self.isolation = isolation[0] if len(isolation) == 1 else None
        self.comes_to = isolation[-1]  # from snapshots, by itself
        self.expectation = values.get("today", values["expect"])[0]
        self.says = values.get("says", [])
        count = values.get("schedules", [None])[0]
        self.count_varies = count == "vary"
        self.schedules = int(count) if count and not self.count_varies else None
        match = re.fullmatch(r"bug ([\w ]+?)(?: at bound (\d+))?", self.expectation)
        self.kind = match.group(1) if match else None
        self.bound = int(match.group(2)) if match and match.group(2) else None
        clean = re.fullmatch(r"clean bound (\d+)", self.expectation)
        self.clean_bound = int(clean.group(1)) if clean else None
        self.is_clean = self.expectation.startswith("clean") or self.expectation == "no bug"

    def command(self, carrier, *more):
        program = runs.program(f"corpus/{self.name}")
        if self.isolation and not any(word.startswith("--isolation=") for word in more):
            more = (*more, f"--isolation={self.isolation}")
        return [*self.options, f"--carrier={carrier}", *more, "--", program, *self.arguments]


# An execution on kernel threads takes twenty times as long as one on fibers, and more than five hundred times where
# processes are dear to make: a large search is run to its end on fibers, and so far on threads.
MOST_ON_THREADS = 1_000
THREADS_CUT_OFF = 500
# A fresh start takes as long again: so many are enough to see that programs run like that.
MOST_STARTS = 30


def explore(scratch, head, carrier, *more):
    # On a busy machine as much is to be explored as on an idle one.
    time = [] if any(word.startswith("--time") for word in head.options) else ["--time=10m"]
    # With several workers it depends on their pace which of two equivalent schedules is run: on threads there is one,
    # so that what it finds can be compared.
    workers = ["-j1"] if carrier == "thread" else []
    command = head.command(carrier, *workers, *more)
    result, report = scratch.run_heddle(*time, *command, timeout_s=630)
    # What memory that is put back does not undo is said in the head.
    if carrier == "fiber" and report is not None and not any(word.startswith("--isolation=") for word in command):
        result.require(report["isolation"] == head.comes_to, f"it was run under {report['isolation']}")
    return result, report


def check_bug(scratch, head, carrier):
    bounds = [f"--max-preemptions={head.bound}"] if head.bound is not None else []
    result, report = explore(scratch, head, carrier, *bounds)
    result.require_status(runs.BUG)
    result.require(report is not None and report["verdict"] == "bug", "the JSON report tells of no bug")
    bug = report["bugs"][0]
    result.require(bug["kind"] == head.kind, f"expected a bug of kind {head.kind}, got {bug['kind']}: {bug['message']}")
    if head.bound is not None:
        result.require(bug["preemptions"] == head.bound, f"expected {head.bound} preemptions, got {bug['preemptions']}")
    result.require_says(*head.says)
    if carrier == "fiber":  # threads are compared with it
        check_replay(scratch, report)
        check_page(scratch)
        if head.bound:
            check_clean_below(scratch, head, carrier)
    else:
        check_replayed(scratch, result, report)
    return result, report


def check_replay(scratch, report):
    replay = scratch.heddle("replay", runs.trace_of(report, scratch))
    replay.require_status(runs.BUG)
    replay.require_says("Reproduced")


def check_replayed(scratch, result, report):
    """The search itself has replayed the bug, in a fresh process; if it had no time for that, it is replayed here."""
    replays = report["bugs"][0]["replays"]
    result.require(replays is not False, "the search could not reproduce its own bug")
    if replays is None:
        check_replay(scratch, report)


def check_page(scratch):
    shown = scratch.heddle("show", "--full")  # the latest trace is this one
    shown.require_status(runs.OK)
    shown.require(len(shown.stdout.splitlines()) > 5, "heddle show shows next to nothing")


def check_clean_below(scratch, head, carrier):
    result, report = explore(scratch, head, carrier, f"--max-preemptions={head.bound - 1}")
    result.require(result.status == runs.OK, f"a bug, or none proved, below bound {head.bound}")
    result.require(report["preemption_bound_proved"] == head.bound - 1, f"bound {head.bound - 1} was not proved")


def check_clean(scratch, head, carrier, cut_off=None):
    """`cut_off`: with so many of its schedules, which are not all."""
    bounds = [f"--max-preemptions={head.clean_bound}"] if head.clean_bound is not None else []
    limits = [f"--max-schedules={cut_off}"] if cut_off else []
    result, report = explore(scratch, head, carrier, *bounds, *limits)
    result.require_status(runs.OK)
    result.require(report["verdict"] == "no_bug_found" and not report["bugs"], "the JSON report tells otherwise")
    if cut_off:
        result.require(report["schedules_in_all"] == cut_off, f"the search did not come to {cut_off} schedules")
        return result, report
    if head.expectation == "clean complete":
        result.require(report["complete"], "something is left to explore")
    elif head.clean_bound is not None:
        result.require(report["complete"] or report["preemption_bound_proved"] >= head.clean_bound,
                       f"bound {head.clean_bound} was not proved")
    if head.schedules is not None:
        # Besides the samples in which a thread stops behind a release.
        count = report["schedules"] - report["schedules_stopped"]
        result.require(count == head.schedules, f"expected {head.schedules} schedules, got {count}")
    result.require_says(*head.says)
    return result, report


def check_native(scratch, head):
    """A correct program says so without heddle, too."""
    if not head.is_clean:
        return
    native = runs.run([runs.program(f"corpus/{head.name}"), *head.arguments], scratch.folder, timeout_s=30)
    if "--ok-exit" not in " ".join(head.options):
        native.require_status(0)


def check_no_verdict(scratch, head, carrier):
    result, report = explore(scratch, head, carrier)
    result.require_status(runs.NO_VERDICT)
    result.require(report is None or report["verdict"] == "none", "the JSON report tells otherwise")
    result.require_says(*head.says)
    return result, report


def check(scratch, head, carrier, cut_off=None):
    """What the head expects, on one carrier; returns heddle's result and its JSON report (None when there is none)."""
    if head.kind:
        return check_bug(scratch, head, carrier)
    if head.expectation == "no verdict":
        return check_no_verdict(scratch, head, carrier)
    if head.is_clean:
        return check_clean(scratch, head, carrier, cut_off)
    raise runs.Failure(f"{head.name}: '// expect: {head.expectation}' is not known; see corpus/README.md")


def steps_of(trace):
    """What must be the same on both carriers: every step, but not what lies below a thread's own frames."""
    return [{key: value for key, value in line.items() if key != "stack"}
            for line in runs.read_trace(trace) if "step" in line]


def difference(scratch, head, fiber, thread):
    """What differs between the reports, or None."""
    for field in ("verdict", "complete", "preemption_bound_proved", "schedules", "steps_max", "tasks_max"):
        if fiber[field] != thread[field] and not (field == "schedules" and head.count_varies):
            return f"{field}: {fiber[field]} with fiber, {thread[field]} with thread"
    if not fiber["bugs"]:
        return None
    first, second = (steps_of(runs.trace_of(report, scratch)) for report in (fiber, thread))
    for number, (one, other) in enumerate(zip(first, second)):
        if one != other:
            return f"step {number} differs:\n  fiber  {one}\n  thread {other}"
    return None if len(first) == len(second) > 0 else "one trace is longer than the other, or both are empty"


def check_carriers(scratch, head):
    """What the head expects, on fibers and on threads; and both run the same schedules and find the same execution. In
    the same folder: programs may look at its name."""
    on_fibers, fiber = check(scratch, head, "fiber")
    limits = ["-j1"]
    bound = head.bound if head.bound is not None else head.clean_bound
    if bound is not None:
        limits.append(f"--max-preemptions={bound}")
    cut_off = None
    if head.is_clean and fiber["schedules"] > MOST_ON_THREADS:
        cut_off = THREADS_CUT_OFF
        on_fibers, fiber = explore(scratch, head, "fiber", *limits, f"--max-schedules={cut_off}")
    on_threads, thread = check(scratch, head, "thread", cut_off)
    if cut_off and fiber["schedules_given_up"] != thread["schedules_given_up"]:
        # How much came before the search began anew depends on the speed of steps. It counts for --max-schedules.
        cut_off = thread["schedules"] + fiber["schedules_given_up"]
        on_fibers, fiber = explore(scratch, head, "fiber", *limits, f"--max-schedules={cut_off}")
    on_threads.require(on_fibers.status == on_threads.status, f"status {on_fibers.status} with fiber")
    if fiber is None or fiber["verdict"] == "none":
        return
    differs = difference(scratch, head, fiber, thread)
    if differs is not None and not cut_off:
        # Several workers may have come to another of two equivalent schedules. With one, all must be the same.
        _, fiber = explore(scratch, head, "fiber", *limits)
        differs = difference(scratch, head, fiber, thread)
    on_threads.require(differs is None, differs)


def check_exec(scratch, head):
    """Exec isolation is slow: the same bug, or none within some schedules."""
    bounds = [f"--max-preemptions={head.bound}"] if head.bound is not None else []
    limits = [] if head.kind else [f"--max-schedules={MOST_STARTS}"]
    result, report = explore(scratch, head, "fiber", "--isolation=exec", *bounds, *limits)
    if head.expectation == "no verdict":
        result.require_status(runs.NO_VERDICT)
    elif head.kind is None:
        result.require_status(runs.OK)
    else:
        result.require_status(runs.BUG)
        result.require(report["bugs"][0]["kind"] == head.kind, f"expected a bug of kind {head.kind}")
        check_replayed(scratch, result, report)


# Each in a folder of its own.
PARTS = {
    "native": check_native,
    "fiber": lambda scratch, head: check(scratch, head, "fiber"),
    "thread": check_carriers,
    "exec": check_exec,
}


def failure_of(part, head):
    """What is wrong in one part, or None."""
    try:
        with runs.Scratch(f"{head.name}.{part}") as scratch:
            PARTS[part](scratch, head)
    except runs.Failure as failure:
        return failure
    return None


def default_parts(head):
    """Threads are compared with fibers, which are checked with them."""
    result = ["native", "thread" if runs.drawn(f"{head.name} thread") else "fiber"]
    return result + ["exec"] if runs.drawn(f"{head.name} exec") else result


def main():
    source, *parts = runs.parse_options(sys.argv[1:])
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        print(f"{unknown[0]} is none of: {', '.join(PARTS)}")
        return 2
    head = Head(source)
    failures = {part: failure_of(part, head) for part in parts or default_parts(head)}
    for part, failure in failures.items():
        if failure is not None:
            print(f"{source} ({part}): {failure}")
    return 1 if any(failures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

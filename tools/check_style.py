#!/usr/bin/env python3
# The house rules that a machine can see: sizes of functions, files and classes, an opening comment, nothing undone,
# the runtime's variables in structures that say how long they last.
import os
import re
import subprocess
import sys

import sources

MAX_FUNCTION_LINES = 70
MAX_FILE_LINES = 1000
MAX_LINE_LENGTH = 120
MAX_METHODS = 25  # constructors among them
MAX_MEMBERS = 20  # of a class; a struct is data, and may be as long as what it lists
# Classes that were larger when the limits came: NAME METHODS MEMBERS, as they are today. A number there may only fall,
# and it must when the class has become smaller.
UNDONE = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")
# What of the runtime lasts how long: through an execution, a process, or for good. `runtime` is made of two of them.
LIFETIME = re.compile(r"\b(?:Execution|Process|Permanent)[A-Z]\w*|^Runtime$")
OPENING = {".py": "#", ".c": ("//", "/*"), ".h": ("//", "/*"), ".cpp": ("//", "/*"), ".def": ("//", "/*"),
           ".S": ("//", "/*", "#")}


def opening_comment(path, lines):
    first = next((line for line in lines if line.strip() and not line.startswith("#!")), "")
    ending = re.search(r"\.\w+$", path)
    return first.startswith(OPENING.get(ending.group(0) if ending else "", "#"))


def runs_nothing(path, lines):
    """A file of tests that does not call the harness passes whatever it says."""
    return path.endswith("_test.py") and path.startswith("tests/") and "    harness.main()" not in lines


def problems_of(path):
    lines = sources.read(path).splitlines()
    if not opening_comment(path, lines):
        yield f"{path}:1: does not open with a comment on what it is for"
    if runs_nothing(path, lines):
        yield f"{path}: no test of it runs: end it with harness.main()"
    if len(lines) > MAX_FILE_LINES and not path.endswith(".def"):  # a table is as long as what it lists
        yield f"{path}: {len(lines)} lines; at most {MAX_FILE_LINES}, split it"
    for number, line in enumerate(lines, 1):
        if UNDONE.search(line):
            yield f"{path}:{number}: something is left undone: {line.strip()}"
        # clang-format sees to the C and C++ sources
        if len(line) > MAX_LINE_LENGTH and not path.endswith((".h", ".c", ".cpp")):
            yield f"{path}:{number}: {len(line)} characters; at most {MAX_LINE_LENGTH}"
        if line != line.rstrip():
            yield f"{path}:{number}: blanks at the end of the line"


class Tag:
    """What universal-ctags says of one name: a function, a prototype, a class, a struct or a member."""

    def __init__(self, row):
        self.name, self.path, self.pattern, *fields = row.split("\t")
        values = dict(field.split(":", 1) for field in fields if ":" in field)
        self.kind = next((field for field in fields if len(field) == 1), "")
        self.line = int(values.get("line", 0))
        self.end = int(values.get("end", 0))
        self.namespace = values.get("namespace", "")
        self.type = values.get("typeref", "").partition(":")[2].removeprefix("constinit ")


def tags_of(files, *options):
    command = ["ctags", "-L", "-", "--fields=+nek", *options, "-o", "-"]
    listing = subprocess.run(command, cwd=sources.ROOT, input="\n".join(files), capture_output=True, text=True,
                             check=True)
    return [Tag(row) for row in listing.stdout.splitlines() if not row.startswith("!")]


def function_problems(files):
    for tag in tags_of(files, "--kinds-C++=f", "--kinds-C=f", "--kinds-Python=fm"):
        length = tag.end - tag.line + 1
        if tag.line and tag.end and length > MAX_FUNCTION_LINES:
            yield f"{tag.path}:{tag.line}: {tag.name} has {length} lines; at most {MAX_FUNCTION_LINES}"


def class_sizes(files):
    """(tag, methods, members) of each class and struct; what stands in a type within another counts there only."""
    of_file = {}
    for tag in tags_of(files, "--language-force=C++", "--kinds-C++=csfpm"):
        of_file.setdefault(tag.path, []).append(tag)
    for tags in of_file.values():
        types = [tag for tag in tags if tag.kind in ("c", "s") and tag.end]
        counts = {id(tag): {"method": 0, "member": 0} for tag in types}
        for tag in tags:
            around = [outer for outer in types if outer.line <= tag.line <= outer.end and outer is not tag]
            if around and tag.kind in ("f", "p", "m"):
                innermost = min(around, key=lambda outer: outer.end - outer.line)
                counts[id(innermost)]["member" if tag.kind == "m" else "method"] += 1
        for tag in types:
            yield tag, counts[id(tag)]["method"], counts[id(tag)]["member"]


def class_problems(files):
    for tag, methods, members in class_sizes(files):
        sizes = ((methods, MAX_METHODS, "methods"), (0 if tag.kind == "s" else members, MAX_MEMBERS, "members"))
        for size, limit, what in sizes:
            if size > limit:
                yield f"{tag.path}:{tag.line}: {tag.name} has {size} {what}; at most {limit}, split it"


def is_mutable(tag):
    """Of a variable. What `const` before a pointer protects is not the pointer."""
    const = "const" in tag.type.split() and "*" not in tag.type
    return not const and not re.search(r"\*\s*const$", tag.type) and "constexpr " not in tag.pattern


def lifetime_problems(files):
    for tag in tags_of(files, "--language-force=C++", "--kinds-C++=vxl", "-IHEDDLE_PERMANENT"):
        if tag.kind == "l" and not re.match(r"/\^\s*static ", tag.pattern):
            continue  # on the stack
        symbol = 'extern "C"' in tag.pattern or not tag.namespace and tag.name.startswith("heddle_")
        table = tag.namespace == "heddle::runtime::real"  # of libc's functions
        exempt = symbol or table or "thread_local " in tag.pattern
        if is_mutable(tag) and not exempt and not LIFETIME.search(tag.type):
            yield (f"{tag.path}:{tag.line}: {tag.name} is in no structure that says how long it lasts: Execution…, "
                   "Process… or Permanent…")


def main():
    files = sources.all_files()
    problems = [problem for path in files for problem in problems_of(path)]
    problems += function_problems([path for path in files if path.endswith((".h", ".c", ".cpp", ".py"))])
    problems += class_problems([path for path in files if path.startswith(("src/", "include/")) and
                                path.endswith((".h", ".cpp"))])
    problems += lifetime_problems([path for path in files if path.startswith("src/runtime/") and
                                   path.endswith((".h", ".cpp"))])
    return sources.report(problems, f"style of {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())

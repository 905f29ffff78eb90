#!/usr/bin/env python3
# The house rules that a machine can see: sizes of functions and files, an opening comment, nothing left undone.
import re
import subprocess
import sys

import sources

MAX_FUNCTION_LINES = 70
MAX_FILE_LINES = 500
MAX_LINE_LENGTH = 120
UNDONE = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b")
OPENING = {".py": "#", ".c": ("//", "/*"), ".h": ("//", "/*"), ".cpp": ("//", "/*"), ".def": ("//", "/*"),
           ".S": ("//", "/*", "#")}


def opening_comment(path, lines):
    first = next((line for line in lines if line.strip() and not line.startswith("#!")), "")
    ending = re.search(r"\.\w+$", path)
    return first.startswith(OPENING.get(ending.group(0) if ending else "", "#"))


def problems_of(path):
    lines = sources.read(path).splitlines()
    if not opening_comment(path, lines):
        yield f"{path}:1: does not open with a comment on what it is for"
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


def function_lengths(files):
    """(path, line, name, lines) of every function that universal-ctags sees."""
    command = ["ctags", "-L", "-", "--fields=+ne", "--kinds-C++=f", "--kinds-C=f", "--kinds-Python=fm", "-o", "-"]
    listing = subprocess.run(command, cwd=sources.ROOT, input="\n".join(files), capture_output=True, text=True,
                             check=True)
    for row in listing.stdout.splitlines():
        if row.startswith("!"):
            continue
        name, path, *fields = row.split("\t")
        values = dict(field.split(":", 1) for field in fields if ":" in field)
        if values.get("line", "").isdigit() and values.get("end", "").isdigit():
            yield path, int(values["line"]), name, int(values["end"]) - int(values["line"]) + 1


def main():
    files = sources.all_files()
    problems = [problem for path in files for problem in problems_of(path)]
    code = [path for path in files if path.endswith((".h", ".c", ".cpp", ".py"))]
    for path, line, name, length in function_lengths(code):
        if length > MAX_FUNCTION_LINES:
            problems.append(f"{path}:{line}: {name} has {length} lines; at most {MAX_FUNCTION_LINES}")
    return sources.report(problems, f"style of {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())

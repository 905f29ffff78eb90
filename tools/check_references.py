#!/usr/bin/env python3
# Checks the references of comments and documents: each file that they name must exist, and none may send the reader to
# an issue, which is not part of the project. It reads the comments of the sources and all documents (*.md), but not the
# commands and programs that documents show.
#
# A name is known when it is the end of some file's path: `frontier.h`, `search/frontier.h`.
import os
import re
import sys

import sources

FILE = re.compile(r"(?<![\w./<~$*{}…-])"
                  r"((?:[\w.-]+/)*\w[\w.-]*\.(?:h|hpp|cpp|c|def|py|md|S|cmake))"
                  r"(?![\w/*({-])")
ISSUE = re.compile(r"\bissues?\s+(?:[A-Z]\b|#?\d+)", re.IGNORECASE)
PLACEHOLDER = re.compile(r"\b[A-Z]{4,}(?:\b|_)")  # tests/e2e/GROUP_test.py
# Of other projects, and of programs in examples.
OTHERS = {"magic.h", "mqueue.c", "tsan_interface.h", "sanitizer/tsan_interface.h", "sanitizer.def", "cmocka.h",
          "bank.c", "counter.h", "queue.c", "src/queue.cpp"}


def documents():
    for directory, subdirectories, names in os.walk(sources.ROOT):
        subdirectories[:] = [name for name in subdirectories if name not in (".git", "build", "heddle-out")]
        found = (os.path.relpath(os.path.join(directory, name), sources.ROOT) for name in names)
        yield from (path for path in found if path.endswith(".md"))


def prose_of(path, text):
    """(number, words) of the lines of a document, or of a source's comments."""
    shown = False
    comment = re.compile(r"//.*" if path.endswith(sources.C_ENDINGS) else r"(?:^|\s)#\s.*")
    for number, line in enumerate(text.splitlines(), 1):
        if path.endswith(".md"):
            if line.lstrip().startswith("```"):
                shown = not shown
            elif not shown:
                yield number, line
        elif found := comment.search(line):
            yield number, found[0]


def is_known(name, path, known):
    if name.startswith("."):
        return "./" + os.path.normpath(os.path.join(os.path.dirname(path), name)) in known
    return name in known or name in OTHERS or PLACEHOLDER.search(name) is not None


def problems_of(path, text, known):
    for number, words in prose_of(path, text):
        if ISSUE.search(words):
            yield f"{path}:{number}: refers to an issue: {words.strip()}"
        for name in FILE.findall(words):
            # Documents name programs of users and libraries, too: of these files none is known by its name alone.
            ours = not path.endswith(".md") or name.endswith((".def", ".md")) or name.startswith(("src/", "tests/"))
            if ours and not is_known(name, path, known):
                yield f"{path}:{number}: there is no file {name}"


def endings(paths):
    """Every path, as ./PATH too, and what is left of it without its first folders."""
    parts = (("./" + path).split("/") for path in paths)
    return {"/".join(names[at:]) for names in parts for at in range(len(names))}


def main():
    paths = sources.all_files() + sorted(documents())
    known = endings(paths)
    problems = [problem for path in paths for problem in problems_of(path, sources.read(path), known)]
    return sources.report(problems, f"references of {len(paths)} files")


if __name__ == "__main__":
    sys.exit(main())

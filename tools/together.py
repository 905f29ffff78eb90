#!/usr/bin/env python3
# Which sources can be compiled as one: clang-tidy checks them together (run_clang_tidy.py), and a build with
# HEDDLE_UNITY compiles them together. For that, cmake/unity.cmake calls this file with the sources. It prints the
# groups: one a line, with commas between the files.
#
#   tools/together.py MOST SOURCE …        (paths relative to the root of the tree; at most MOST of them in a group)
import functools
import os
import re
import sys

import sources

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
INCLUDED_FROM = ("src", os.path.join("tests", "unit"))
# What a file defines at its outermost level, roughly: two such files don't go together.
DEFINES = re.compile(r"^(?:(?:struct|class|enum(?: class)?|union|using(?! namespace| enum)|#\s*define) +(\w+)"
                     r"|(?!namespace|using|template|extern)[A-Za-z_][^\n;()={]*?[ &*](\w+)\s*[({=;\[])", re.MULTILINE)

FUNCTIONS = re.compile(r"^(?!namespace|using|template|extern)[A-Za-z_][^\n;()={]*?[ &*](\w+)\s*\(", re.MULTILINE)
TYPES = re.compile(r"^(?:struct|class|enum(?: class)?) +(?!alignas)(\w+)[^;\n]*\{", re.MULTILINE)
USING = re.compile(r"^\s*using namespace ([\w:]+);", re.MULTILINE)
CALLED = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*\(")
COMMENT = re.compile(r"//.*")
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)


@functools.lru_cache(maxsize=None)
def included(path):
    """The project's own headers that a file names."""
    names = [os.path.join(folder, name) for name in INCLUDE.findall(sources.read(path)) for folder in INCLUDED_FROM]
    return [name for name in names if os.path.exists(os.path.join(sources.ROOT, name))]


def closure(path, seen):
    """Adds `path` and every header of the project it includes, directly or not."""
    if path in seen or not os.path.exists(os.path.join(sources.ROOT, path)):
        return seen
    seen.add(path)
    for name in included(path):
        closure(name, seen)
    return seen


@functools.lru_cache(maxsize=None)
def defined(path):
    return frozenset(one or other for one, other in DEFINES.findall(sources.read(path)))


@functools.lru_cache(maxsize=None)
def defined_here(path):
    """What stands in its unnamed namespaces: a header may use the name for something else."""
    unnamed = "\n".join(UNNAMED.findall(sources.read(path)))
    return frozenset(one or other for one, other in DEFINES.findall(unnamed))


@functools.lru_cache(maxsize=None)
def types_of_headers(path):
    """The types that the source's headers define, each with its header."""
    return frozenset((name, header) for header in closure(path, set()) - {path}
                     for name in TYPES.findall(sources.read(header)))


@functools.lru_cache(maxsize=None)
def called(path):
    """The functions that the source calls, but for those of objects and other namespaces, and all names in the tables
    that it includes."""
    names = set(CALLED.findall(COMMENT.sub("", sources.read(path))))
    tables = [name for name in closure(path, set()) if name.endswith(".def")]
    return frozenset(names.union(*(re.findall(r"\w+", sources.read(name)) for name in tables)))


@functools.lru_cache(maxsize=None)
def usings_of(path):
    return frozenset(USING.findall(sources.read(path)))


class Group:
    """Sources that go together, and what they and their headers define and call."""

    def __init__(self, usings):
        self.usings = usings
        self.paths, self.own, self.functions, self.headers, self.called = [], set(), set(), set(), set()
        self.here, self.types = set(), {}

    def takes(self, path):
        """Adds the source, unless it clashes: two define the same name, or a function that only one of them knows would
        be called by another, which means a different one. What one takes from a namespace, all do."""
        if usings_of(path) != self.usings:
            return False
        headers = set().union(*map(defined, closure(path, set()) - {path}))
        own = defined(path) - headers
        functions = own & set(FUNCTIONS.findall(sources.read(path)))
        if own & self.own or own & self.headers or self.own & headers or defined_here(path) & self.here:
            return False
        if functions & self.called or self.functions & called(path):
            return False
        if any(self.types.get(name, header) != header for name, header in types_of_headers(path)):
            return False
        self.paths.append(path)
        self.own |= own
        self.here |= defined_here(path)
        self.types.update(types_of_headers(path))
        self.functions |= functions
        self.headers |= headers
        self.called |= called(path)
        return True


def groups_of(paths, most):
    """Groups of at most `most` sources that don't clash."""
    groups = []
    for path in paths:
        if not any(len(group.paths) < most and group.takes(path) for group in groups):
            groups.append(Group(usings_of(path)))
            groups[-1].takes(path)
    return [group.paths for group in groups]


if __name__ == "__main__":
    for together in groups_of(sys.argv[2:], int(sys.argv[1])):
        print(",".join(together))

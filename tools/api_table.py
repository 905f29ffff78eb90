# Reads src/runtime/api.def and tools/api_families.txt, for the tools that print and check them.
import dataclasses
import fnmatch
import os
import re

import sources

TABLE = os.path.join(sources.ROOT, "src", "runtime", "api.def")
FAMILIES = os.path.join(sources.ROOT, "tools", "api_families.txt")
STATUSES = {"Modelled": "modelled", "Dispatched": "modelled at its system call", "PassedThrough": "passed through",
            "Refused": "refused"}
ROW = re.compile(r'^HEDDLE_API\((\w+), (\w+), (\w+),\s+"((?:[^"\\]|\\.)*)"\)', re.MULTILINE)


@dataclasses.dataclass
class Row:
    function: str
    family: str
    status: str
    text: str


@dataclasses.dataclass
class Family:
    """Functions that need no line of their own: what they may reach, and why that is all right."""

    title: str
    text: str
    may: set
    patterns: list

    def covers(self, function, calls, by_name):
        """by_name: the function matters by what it is called, so only its whole name covers it."""
        if by_name:
            return calls <= self.may and function in self.patterns
        return calls <= self.may and any(fnmatch.fnmatchcase(function, pattern) for pattern in self.patterns)


def rows():
    with open(TABLE, encoding="utf-8") as file:
        text = file.read()
    found = [Row(*match) for match in ROW.findall(text)]
    begun = len(re.findall(r"^HEDDLE_API\(", text, re.MULTILINE))
    if begun != len(found):
        raise SystemExit(f"{TABLE}: {begun - len(found)} of {begun} lines can't be read")
    return found


def families():
    result = []
    with open(FAMILIES, encoding="utf-8") as file:
        blocks = re.split(r"^\[(.*)\]$", file.read(), flags=re.MULTILINE)[1:]
    for title, block in zip(blocks[::2], blocks[1::2]):
        fields = dict(re.findall(r"^(text|may|functions): ((?:.*\n?)(?:^ +.*\n?)*)", block, re.MULTILINE))
        result.append(Family(title, " ".join(fields["text"].split()), set(fields["may"].split()),
                             fields["functions"].split()))
    return result

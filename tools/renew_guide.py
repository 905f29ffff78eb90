#!/usr/bin/env python3
# The tables of options and exit statuses in docs/GUIDE.md come from `heddle help --markdown`. This renews them;
# with --check it only says whether they are up to date.
import os
import subprocess
import sys

import sources

GUIDE = os.path.join(sources.ROOT, "docs", "GUIDE.md")
BEGIN, END = "<!-- options: begin", "<!-- options: end"


def renewed(text, table):
    begin = text.index("\n", text.index(BEGIN)) + 1
    end = text.index(END)
    return text[:begin] + table.rstrip("\n") + "\n" + text[end:]


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    heddle = words[0] if words else os.path.join(sources.ROOT, "build", "heddle")
    table = subprocess.run([heddle, "help", "--markdown"], check=True, capture_output=True, text=True).stdout
    with open(GUIDE, encoding="utf-8") as file:
        old = file.read()
    new = renewed(old, table)
    if "--check" in sys.argv:
        outdated = f"{GUIDE}: the tables are not those of `heddle help --markdown`: run {sys.argv[0]}"
        sys.exit(0 if new == old else outdated)
    with open(GUIDE, "w", encoding="utf-8") as file:
        file.write(new)


if __name__ == "__main__":
    main()

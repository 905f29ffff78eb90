#!/usr/bin/env python3
# Whether includes go one way: every folder of src/ may include itself and the layers listed for it
# (docs/ARCHITECTURE.md says why).
import re
import sys

import sources

BELOW = {
    "protocol": [],
    # Linked into the program; only its table is shared with the runtime.
    "instrument": [],
    "model": ["protocol"],
    "runtime": ["protocol", "model", "instrument"],
    "trace": ["protocol"],
    "analysis": ["protocol", "trace"],
    "search": ["protocol", "trace", "analysis"],
    "monitor": ["protocol", "trace", "analysis"],
    # A report carries what the search promises, so it may name search/strategy.h.
    "report": ["protocol", "trace", "analysis", "search"],
    "driver": ["protocol", "trace", "analysis", "search", "monitor", "report"],
    "cli": ["protocol", "trace", "analysis", "search", "monitor", "report", "driver"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def problems_of(path):
    layer = path.split("/")[1]
    if layer not in BELOW:
        yield f"{path}: src/{layer} is no layer; add it to tools/check_layers.py and docs/ARCHITECTURE.md"
        return
    for number, line in enumerate(sources.read(path).splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match.group(1)
        target = included.split("/")[0]
        if "/" not in included or included.startswith("."):
            yield f'{path}:{number}: write "{included}" from src/ on, as "layer/file.h"'
        elif target != layer and target not in BELOW[layer] and target != "heddle":
            allowed = ", ".join(BELOW[layer]) or "nothing"
            yield f"{path}:{number}: {layer} must not include {included} (allowed: {allowed})"


def main():
    files = [path for path in sources.c_files() if path.startswith("src/") and path.count("/") > 1]
    return sources.report([problem for path in files for problem in problems_of(path)], f"layers of {len(files)} files")


if __name__ == "__main__":
    sys.exit(main())

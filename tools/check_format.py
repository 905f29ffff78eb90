#!/usr/bin/env python3
# Whether the C and C++ sources are as clang-format would write them; --fix writes them so.
import os
import subprocess
import sys

import sources


def main():
    # Tables (.def) are left alone: their lines are data.
    files = [path for path in sources.c_files() if path.endswith((".h", ".c", ".cpp"))]
    mode = ["-i"] if "--fix" in sys.argv[1:] else ["--dry-run", "--Werror"]
    result = subprocess.run(["clang-format", *mode, *files], cwd=sources.ROOT, capture_output=True, text=True)
    if result.returncode == 0:
        print(f"format of {len(files)} files: in order")
        return 0
    named = sorted({line.split(":")[0] for line in result.stderr.splitlines() if ": error:" in line})
    for path in named:
        print(f"{os.path.relpath(path, sources.ROOT) if os.path.isabs(path) else path}: not as clang-format writes it; "
              "run ./dev format")
    if not named:
        print(result.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

# Which files are ours: shared by the checks in this folder. Works in a checkout and in an unpacked archive.
# HEDDLE_ROOT names another tree to check: the canaries (tests/checks) give the checks wrong trees.
import os

ROOT = os.environ.get("HEDDLE_ROOT") or os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ["src", "include", "corpus", "examples", "tests", "bench", "tools", "gdb", "cmake", ".ci"]
C_ENDINGS = (".h", ".def", ".c", ".cpp", ".S")
SCRIPT_ENDINGS = (".py", ".cmake", "CMakeLists.txt")


def all_files():
    """Every source file of the project as a path relative to the root, sorted."""
    found = [path for path in ("dev", "CMakeLists.txt") if os.path.exists(os.path.join(ROOT, path))]
    for folder in FOLDERS:
        for directory, subdirectories, names in os.walk(os.path.join(ROOT, folder)):
            subdirectories[:] = [name for name in subdirectories if name not in ("__pycache__", "heddle-out")]
            found += [os.path.relpath(os.path.join(directory, name), ROOT) for name in names]
    return sorted(path for path in found if is_source(path))


def is_source(path):
    return path.endswith(C_ENDINGS + SCRIPT_ENDINGS) or path == "dev" or path.startswith(".ci/")


def c_files():
    return [path for path in all_files() if path.endswith(C_ENDINGS)]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def report(problems, checked):
    """Prints the problems; returns the exit status."""
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{checked}: in order")
    return 1 if problems else 0

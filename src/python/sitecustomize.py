# Python loads this when it starts under `heddle run --python=…`, by PYTHONPATH. It has the program's own lines become
# scheduling points (heddle_trace.c), and the program end where an exception ends a thread.
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def step_aside():
    """Python and its children are to find what they would without us; a sitecustomize of the system's, for instance."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != FOLDER]
    rest = [folder for folder in os.environ.get("PYTHONPATH", "").split(":") if folder != FOLDER]
    if any(rest):
        os.environ["PYTHONPATH"] = ":".join(rest)
    else:
        os.environ.pop("PYTHONPATH", None)


def libraries():
    """Folders of code that is not the program's own."""
    import site
    import sysconfig
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [sysconfig.get_paths().get(name) for name in names] + [FOLDER, "/usr/lib/python3"]
    folders += site.getsitepackages() + [site.getusersitepackages()]
    return tuple(sorted({os.path.realpath(folder) + "/" for folder in folders if folder}))


def end_with_thread():
    """An exception that ends a thread is printed and forgotten otherwise."""
    import threading
    shown = threading.excepthook

    def end(arguments):
        shown(arguments)
        if arguments.exc_type is not SystemExit:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(1)
    threading.excepthook = end


def list_modules_only(modules_in):
    """The search for a module lists folders, also that of the program, where Heddle keeps its bugs."""
    from importlib.machinery import FileFinder

    def fill(finder):
        finder._path_cache = modules_in(finder.path or os.getcwd())
    if hasattr(FileFinder, "_fill_cache"):
        FileFinder._fill_cache = fill


def begin(mode):
    import gc
    import threading
    sys.path.insert(0, FOLDER)
    try:
        import heddle_trace
    finally:
        sys.path.remove(FOLDER)
    if not hasattr(heddle_trace, "start"):
        return
    list_modules_only(heddle_trace.modules_in)
    end_with_thread()
    threading.settrace(heddle_trace.start_thread)
    heddle_trace.start(libraries(), mode == "opcode", gc.freeze)


step_aside()
MODE = os.environ.pop("HEDDLE_PYTHON", None)
OURS = sys.modules.pop("sitecustomize")
try:
    import sitecustomize  # noqa: F401: the one that we stand in front of
except ImportError:
    sys.modules["sitecustomize"] = OURS  # Python looks for what it imports there
if MODE in ("line", "opcode"):
    begin(MODE)

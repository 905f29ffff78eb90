#!/usr/bin/env python3
# Checks the binary, not the promise: what libheddle.so exports, imports and runs when it is loaded.
#
#   tools/check_symbols.py build/libheddle.so            compare with tools/exported_symbols.txt
#   tools/check_symbols.py --update build/libheddle.so   rewrite that list, after an interceptor was added
#
# Exported: exactly the interposed symbols. Imported: glibc and gcc's unwinder only, nothing of a C++ runtime.
# At load: one constructor. Variables that snapshots restore: few.
import os
import re
import subprocess
import sys

import sources

LIST = os.path.join(sources.ROOT, "tools", "exported_symbols.txt")
HEADER = "# The symbols that libheddle.so interposes; tools/check_symbols.py --update writes this list.\n"
LIBRARIES = {"libc.so.6", "ld-linux-x86-64.so.2", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1"}
# Call stacks, and cleanups in C (-fexceptions) that exceptions and thread exits of the program pass through.
UNWINDER = re.compile(r"^(_Unwind_(Backtrace|GetIP|Resume)|__gcc_personality_v0)(@GCC_[\d.]+)?$")
WEAK_BY_THE_LINKER = {"__gmon_start__", "__cxa_finalize", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable"}
# Weak, looked up at run time, and absent from C programs: nothing of theirs is called unless the program brought it.
CPP_RUNTIME = re.compile(r"^(_Z|__cxa_(throw|begin_catch|end_catch|rethrow|allocate_exception|guard)|__gxx_)")

MOST_PUT_BACK = 8192  # bytes


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def exported(library):
    rows = output_of("nm", "-D", "--defined-only", library).splitlines()
    return sorted({row.split()[-1] for row in rows if row.split()[-2] != "A"})


def listed():
    with open(LIST, encoding="utf-8") as file:
        return sorted(line.strip() for line in file if line.strip() and not line.startswith("#"))


def export_problems(library):
    have, want = exported(library), listed()
    for name in sorted(set(have) - set(want)):
        yield f"{name} is exported and not in tools/exported_symbols.txt: hide it, or run check_symbols.py --update"
    for name in sorted(set(want) - set(have)):
        yield f"{name} is in tools/exported_symbols.txt and not exported"


def import_problems(library):
    for row in output_of("nm", "-D", "--undefined-only", library).splitlines():
        kind, symbol = row.split()[-2:]
        name = symbol.split("@")[0]
        if name in WEAK_BY_THE_LINKER:
            continue
        if CPP_RUNTIME.match(name):
            yield f"{name} is imported: the runtime must do without a C++ runtime library"
        elif "@GLIBC_" not in symbol and not UNWINDER.match(symbol):
            yield f"{name} is imported{' weakly' if kind in 'wv' else ''} and not from glibc"
    for library_name in re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-dW", library)):
        if library_name not in LIBRARIES:
            yield f"needs {library_name}; allowed are {', '.join(sorted(LIBRARIES))}"


def constructor_problems(library):
    """The functions in .init_array, apart from the compiler's own frame_dummy."""
    section = re.search(r"\.init_array\s+INIT_ARRAY\s+(\w+)\s+\w+\s+(\w+)", output_of("readelf", "-SW", library))
    if not section:
        return
    begin, size = int(section.group(1), 16), int(section.group(2), 16)
    names = {}
    for row in output_of("nm", library).splitlines():
        fields = row.split()
        if len(fields) == 3:
            names.setdefault(int(fields[0], 16), fields[2])
    found = []
    for row in output_of("readelf", "-rW", library).splitlines():
        fields = row.split()
        if fields and re.fullmatch(r"[0-9a-f]{12,16}", fields[0]) and begin <= int(fields[0], 16) < begin + size:
            found.append(names.get(int(fields[-1], 16), fields[-1]))
    own = [name for name in found if name != "frame_dummy"]
    if len(own) > 1 or any("_GLOBAL__sub_I" in name for name in own):
        yield f"more than one constructor runs at load, or a static one: {', '.join(own)}"


def size_problems(library):
    """What lies in .data and .bss is put back before every execution, used or not."""
    sizes = {}
    for row in output_of("size", "-A", library).splitlines():
        fields = row.split()
        if len(fields) == 3 and fields[0] in (".data", ".bss"):
            sizes[fields[0]] = int(fields[1])
    if sum(sizes.values()) > MOST_PUT_BACK:
        yield (f"{sum(sizes.values()):,} bytes of variables are put back before every execution ({MOST_PUT_BACK:,} are "
               "allowed): allocate large tables when they are first used (os::allocate), or see HACKING.md on "
               "permanent variables")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--update"]:
        with open(LIST, "w", encoding="utf-8") as file:
            file.write(HEADER + "".join(f"{name}\n" for name in exported(arguments[1])))
        return 0
    if len(arguments) != 1:
        print("usage: check_symbols.py [--update] build/libheddle.so", file=sys.stderr)
        return 2
    library = arguments[0]
    problems = [*export_problems(library), *import_problems(library), *constructor_problems(library),
                *size_problems(library)]
    return sources.report([f"{library}: {problem}" for problem in problems], f"symbols of {library}")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Fails for every function of the installed C and C++ libraries that can block, wake, create a task, tell the time or
# bring in chance and is not classified in src/runtime/api.def; also compares that table with what libheddle.so exports
# and with docs/API.md.
#
#   tools/check_api.py build/libheddle.so
#
# tools/reachable_calls.py decides "can" from the machine code. What does not show there (memory only, or calls through
# pointers) is decided by the names in BY_NAME. tools/api_families.txt lists the functions that need no line of their
# own, with reasons.
import os
import re
import sys

import api_table
import check_symbols
import reachable_calls
import renew_api
import sources
import system_call_effects

C_LIBRARIES = ("libc.so.6", "libpthread.so.0", "librt.so.1", "libanl.so.1", "libdl.so.2", "libm.so.6")
CPP_LIBRARIES = ("libstdc++.so.6",)
# What can block, wake or bring in chance without a system call of its own, or only through a pointer; and what would
# take hold of the runtime's own memory.
BY_NAME = re.compile(
    r"^_*(pthread_\w+|sem_\w+|mtx_\w+|cnd_\w+|thrd_\w+|tss_\w+|call_once|timer_\w+|mq_\w+|aio_\w+|lio_\w+"
    r"|gai_(suspend|cancel|error)|s?rand(om)?(_r)?|initstate(_r)?|setstate(_r)?|[delmnj]rand48(_r)?|srand48(_r)?"
    r"|seed48(_r)?|lcong48(_r)?|(IO_)?f(try|un)?lockfile|[bs](sd_)?signal|sysv_signal|register_atfork"
    r"|sig(nal|set|hold|relse|ignore|block|getmask|setmask|action|procmask|interrupt|altstack)|dl_iterate_phdr"
    r"|dl(open|mopen|close|sym|vsym|addr)|(v?fork|clone|exit|quick_exit|abort|assert)|(at|on)_?(quick_)?exit"
    r"|cxa_(at|thread_at)\w*exit\w*|cxa_guard_\w+|malloc(_usable_size)?|free|calloc|realloc(array)?"
    r"|m(un)?lock(2|all)?|madvise|ZNSt13random_device9_M_getvalEv)$")


def path_of(library):
    for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib", "/lib"):
        if os.path.exists(os.path.join(folder, library)):
            return os.path.join(folder, library)
    return None


def public_functions(path):
    """Exported functions that programs can be linked against, or that old ones still are."""
    names = set()
    for row in reachable_calls.output_of("readelf", "-W", "--dyn-syms", path).splitlines():
        fields = row.split()
        if len(fields) == 8 and fields[3] in ("FUNC", "IFUNC") and fields[6] != "UND":
            name, _, version = fields[7].partition("@")
            if "PRIVATE" not in version:
                names.add(name)
    return names


def without_helpers(calls, helpers, can):
    """What is left when a helper's system calls are said in one word, and the harmless ones left out."""
    left = {call for call in calls if call in can}
    for name, reached in helpers.items():
        if reached <= left:
            left = left - reached | {name}
    return left


def seen_in(path):
    """{function: what it can do that matters} and the system calls that no table knows."""
    can = system_call_effects.words(system_call_effects.CAN) | {"stdio": "", "lock": ""}
    library = reachable_calls.Library(path)
    harmless = system_call_effects.words(system_call_effects.HARMLESS)
    reached = library.reached()
    helpers = {name: {call for call in reached[function] if call in can}
               for function, name in system_call_effects.HELPERS.items() if function in reached}
    public = public_functions(path)
    found = {name: without_helpers(calls, helpers, can) for name, calls in reached.items() if name in public}
    strange = {call for calls in reached.values() for call in calls if call not in can and call not in harmless}
    return found, strange


def unclassified(found, classified, families):
    """The functions of a library that no line and no family covers, with what they can reach."""
    for function, calls in sorted(found.items()):
        by_name = BY_NAME.match(function) is not None
        if function not in classified and (calls or by_name):
            if not any(family.covers(function, calls, by_name) for family in families):
                yield function, calls


def library_problems(name, rows, families):
    path = path_of(name)
    if path is None:
        yield f"{name} is not installed"
        return
    classified = {row.function for row in rows}
    found, strange = seen_in(path)
    yield from status_problems(rows, found, modelled_calls())
    for call in sorted(strange):
        yield f"{name} makes the system call {call}: put it into a table of tools/system_call_effects.py"
    for function, calls in unclassified(found, classified, families):
        why = f"it can reach {' '.join(sorted(calls))}" if calls else "by its name"
        yield (f"{function} ({name}) can block, wake, create a task, tell the time or bring in chance ({why}) and is "
               "not classified: add a line to src/runtime/api.def")


def missing_functions(rows):
    """Lines for functions that no installed library has: misspelt."""
    known = set()
    for name in C_LIBRARIES + CPP_LIBRARIES:
        path = path_of(name)
        known |= public_functions(path) if path else set()
    return [f"src/runtime/api.def: no library has {row.function}" for row in rows if row.function not in known]


def library_calls():
    """Functions of libraries other than those of C and C++: their table is one of its own."""
    table = sources.read(os.path.join(sources.ROOT, "src", "runtime", "intercept", "library_calls.def"))
    return set(re.findall(r"^HEDDLE_LIBRARY_(?:CALL|REGION|SHARE)\((\w+)", table, re.MULTILINE))


def interposer_problems(rows, library):
    calls = library_calls()
    exported = {name for name in check_symbols.exported(library) if not name.startswith("heddle_")}  # our own API
    for name in sorted(calls - exported):
        yield f"{name} is in src/runtime/intercept/library_calls.def, but libheddle.so does not export it"
    exported -= calls
    statuses = {row.function: row.status for row in rows}
    for name in sorted(exported - set(statuses)):
        yield f"{name} is interposed and not classified: add a line to src/runtime/api.def"
    for name, status in sorted(statuses.items()):
        if status in ("Modelled", "Refused") and name not in exported:
            yield f"{name} is {status} in src/runtime/api.def, but libheddle.so does not export it"


def modelled_calls():
    """The system calls that are steps, wherever they are made."""
    table = sources.read(os.path.join(sources.ROOT, "src", "runtime", "system_calls", "modelled.def"))
    return set(re.findall(r"^HEDDLE_MODELLED_CALL\((\w+)", table, re.MULTILINE))


def status_problems(rows, found, modelled):
    """Lines that say less, or more, than what becomes of the system calls that a function reaches."""
    for row in rows:
        waits = found.get(row.function, set()) - {"lock", "getpid"}
        is_modelled = bool(waits) and waits <= modelled
        if row.status == "PassedThrough" and is_modelled and re.search(r"may block|real time|not modelled", row.text):
            yield f"src/runtime/api.def: {row.function} reaches only {' '.join(sorted(waits))}, which are modelled"
        if row.status == "Dispatched" and row.function in found and waits and not waits & (modelled - {"futex"}):
            yield f"src/runtime/api.def: {row.function} reaches {' '.join(sorted(waits))}, of which none is modelled"


def table_problems(rows):
    seen = set()
    for row in rows:
        if row.status not in api_table.STATUSES:
            yield f"src/runtime/api.def: {row.function}: {row.status} is none of {', '.join(api_table.STATUSES)}"
        if row.function in seen:
            yield f"src/runtime/api.def: {row.function} stands there twice"
        seen.add(row.function)


def main():
    if len(sys.argv) != 2:
        print("usage: check_api.py build/libheddle.so", file=sys.stderr)
        return 2
    rows, families = api_table.rows(), api_table.families()
    problems = list(table_problems(rows))
    if not problems:  # else the other checks would only repeat them
        problems = [*interposer_problems(rows, sys.argv[1]), *missing_functions(rows), *renew_api.problems()]
        for name in C_LIBRARIES + CPP_LIBRARIES:
            problems += library_problems(name, rows, families)
    return sources.report(problems, f"{len(rows)} functions of the C and C++ libraries")


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# Which system calls a library's exported functions can reach by direct calls, read from its machine code. By it
# tools/check_api.py decides whether a function can block. Direct means: call, jump, fall-through, and the address of a
# function taken (it may be called back). Calls through a table or a pointer are not followed, with one exception:
# functions that call through the table of a FILE are said to reach "stdio".
#
#   tools/reachable_calls.py /lib/x86_64-linux-gnu/libc.so.6 [FUNCTION ...]
import bisect
import collections
import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:(?:bnd|lock|rep|repz|repnz|notrack|data16|cs|fs) )*(\S+)\s*(.*)$")
TARGET = re.compile(r"^([0-9a-f]+)(?: <.*>)?$")
TAKEN = re.compile(r"# ([0-9a-f]+)")
NUMBER = re.compile(r"^\$0x([0-9a-f]+),%(\w+)$")
COPY = re.compile(r"^%(\w+),%(\w+)$")
CHANCE = {"rdtsc", "rdtscp", "rdrand", "rdseed", "rdpid"}
# They end the process, or are called in place of the program's allocator: no way leads back through them.
ENDS = ("_exit", "exit", "abort", "__assert_fail", "__assert", "__assert_perror_fail", "__stack_chk_fail",
        "__fortify_fail", "__chk_fail", "__libc_fatal", "__libc_message", "malloc", "free", "calloc", "realloc",
        "memalign", "aligned_alloc")
# glibc's own locks come down to these when they are contended; what random() does under its lock names the others.
LOCKS = ("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_once")
LOCK_USER = "random"
REGISTERS = {f"{size}{name}": name for size in "er" for name in ("ax", "bx", "cx", "dx", "si", "di", "bp")}
REGISTERS |= {f"r{number}{size}": f"r{number}" for size in ("", "d") for number in range(8, 16)}


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def system_call_names():
    """Numbers and names, from the kernel's header that the compiler sees."""
    text = output_of("gcc", "-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null")
    return {int(number): name for name, number in re.findall(r"#define __NR_(\w+) (\d+)", text)}


class Library:
    """The functions of a library, by the bounds in its unwind tables, and what leads where."""

    def __init__(self, path):
        frames = output_of("objdump", "--dwarf=frames", path)
        self.bounds = sorted({(int(begin, 16), int(end, 16))
                              for begin, end in re.findall(r"FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)", frames)})
        self.begins = [begin for begin, _ in self.bounds]
        self.exported = self.exported_functions(path)
        self.leads_to = collections.defaultdict(set)
        self.direct = collections.defaultdict(set)
        self.tables = self.section(path, "__libc_IO_vtables")
        self.names = system_call_names()
        self.read_code(path)

    @staticmethod
    def exported_functions(path):
        functions = {}
        for row in output_of("readelf", "-W", "--dyn-syms", path).splitlines():
            fields = row.split()
            if len(fields) == 8 and fields[3] in ("FUNC", "IFUNC") and fields[6] != "UND":
                functions.setdefault(fields[7].split("@")[0], set()).add(int(fields[1], 16))
        return functions

    @staticmethod
    def section(path, name):
        found = re.search(rf" {name}\s+\w+\s+(\w+)\s+\w+\s+(\w+)", output_of("readelf", "-SW", path))
        return (int(found[1], 16), int(found[1], 16) + int(found[2], 16)) if found else (0, 0)

    def function_at(self, address):
        at = bisect.bisect_right(self.begins, address) - 1
        return at if at >= 0 and address < self.bounds[at][1] else None

    def read_code(self, path):
        constants = {}  # the numbers last put into registers, in the order of the code
        for line in output_of("objdump", "-d", "--no-show-raw-insn", path).splitlines():
            found = INSTRUCTION.match(line)
            if not found:
                continue
            address, name, operands = int(found[1], 16), found[2], found[3].split("<")[0].strip()
            function = self.function_at(address)
            if function is not None:
                self.follow_constants(constants, name, operands)
                self.note(function, name, found[3], operands, constants.get("ax"))

    @staticmethod
    def follow_constants(constants, name, operands):
        number, copy = NUMBER.match(operands), COPY.match(operands)
        if name.startswith("mov") and number and number[2] in REGISTERS:
            constants[REGISTERS[number[2]]] = int(number[1], 16)
        elif name == "mov" and copy and copy[2] in REGISTERS:
            constants[REGISTERS[copy[2]]] = constants.get(REGISTERS.get(copy[1]))
        elif name == "xor" and copy and copy[1] == copy[2] in REGISTERS:
            constants[REGISTERS[copy[1]]] = 0
        elif not name.startswith(("cmp", "test", "j")):
            written = operands.rsplit(",%", 1)[-1].lstrip("%")
            constants.pop(REGISTERS.get(written), None)

    def note(self, function, name, text, operands, number):
        if name == "syscall":
            self.direct[function].add(self.names.get(number, "unknown"))
        elif name in CHANCE:
            self.direct[function].add(name)
        elif name == "call" or name.startswith("j"):
            if TARGET.match(operands):
                self.follow(function, int(operands, 16))
        elif name == "lea" and TAKEN.search(text):
            address = int(TAKEN.search(text)[1], 16)
            if self.tables[0] <= address < self.tables[1]:
                self.direct[function].add("stdio")
            target = self.function_at(address)
            if target is not None and self.bounds[target][0] == address:
                self.leads_to[function].add(target)

    def follow(self, function, address):
        target = self.function_at(address)
        if target is not None and target != function:
            self.leads_to[function].add(target)

    def functions_of(self, names):
        return {self.function_at(address) for name in names for address in self.exported.get(name, ())}

    def locks(self):
        """What waits for a lock of glibc's own, or wakes who waits: for the caller, no more than a short delay."""
        users = self.functions_of([LOCK_USER])
        return self.functions_of(LOCKS) | {target for user in users for target in self.leads_to[user]
                                           if self.direct[target] == {"futex"}}

    def reached(self):
        """{exported function: {system calls}}; "lock" stands for what glibc's own locks do."""
        ends, locks = self.functions_of(ENDS), self.locks()
        result = {}
        for name, addresses in self.exported.items():
            calls, seen = set(), set()
            left = [self.function_at(address) for address in addresses]
            while left:
                function = left.pop()
                if function in seen or function is None or (function in ends and seen):
                    continue
                if function in locks and seen:
                    calls.add("lock")
                    continue
                seen.add(function)
                calls |= self.direct[function]
                left.extend(self.leads_to[function])
            result[name] = calls
        return result


def main():
    reached = Library(sys.argv[1]).reached()
    for name in sys.argv[2:] or sorted(reached):
        print(name, " ".join(sorted(reached[name])))


if __name__ == "__main__":
    main()

# heddle-cc and heddle-c++ with every compiler that is installed, at each level of optimization: a program that accesses
# memory in every way that compilers know (tests/e2e/compilers). The races that are reported must be the right ones.
import os
import re
import shutil

import harness
from harness import BUG, OK, OPTIONS, drawn

LEVELS = ("-O0", "-O1", "-O2", "-O3")

# Their debug information says of a local number in optimized code what it is worth, not where it lies.
LOSES_SCALARS = ("clang", "clang-14", "clang-15", "clang-16")
# Its debug information loses these where it is told that it can't know who else knows them.
LOST_BY_CLANG_19 = {"outer.inner[1].second[2] of member()", "slots of element()"}

RACE = re.compile(r".*? (?:reads|writes) (.*?) at \S+:\d+ while ")
PLACE = re.compile(r" at \S+\.cpp:(\d+)")
NAMES = re.compile(r"\b(?:race|fine)_\w+")


def named_lines(path):
    """Which names stand in the comment at the end of each line."""
    with open(path, encoding="utf-8") as file:
        lines = list(enumerate(file, 1))
    return {number: NAMES.findall(line.split("//")[1]) for number, line in lines
            if "//" in line and not line.startswith("//") and NAMES.search(line.split("//")[1])}


# How the assembler is to be told of src/instrument/heddle-gcc-calls.s, and what calls may look like then.
CALLS = ((), ("-O1",), ("-O2",), ("-O3", "-fno-plt"), ("-O2", "-pipe"), ("-O1", "-masm=intel", "-DINTEL"),
         ("-O2", "-masm=intel", "-DINTEL", "-fno-plt"), ("-O2", "-flto"), ("-O1", "-flto", "-pipe"),
         ("-O2", "-save-temps"), ("-O2", "-fno-pie", "-no-pie"), ("-O2", "-mcmodel=large"))


class Compilers(harness.TestCase):
    def build(self, compiler, source, *options_of_test):
        program = self.scratch.path("every_access")
        if source.endswith(".cpp"):
            wrapper, variable, options = "heddle-c++", "HEDDLE_CXX", ["-std=c++20"]
            compiler = compiler.replace("clang", "clang++").replace("gcc", "g++")
        else:
            wrapper, variable, options = "heddle-cc", "HEDDLE_CC", ["-std=gnu17"]
        options += ["-g", *options_of_test, "-pthread"]
        command = [os.path.join(OPTIONS.build, wrapper), *options, source, "-o", program]
        built = harness.run(command, self.scratch.folder, env={**os.environ, variable: compiler}, timeout_s=120)
        built.require_status(OK)
        return program

    def check_names(self, compiler, levels=LEVELS, *options):
        """No variable of a stack gets a wrong name; and each its own where the debug information knows it."""
        source = os.path.join(OPTIONS.source, "tests", "e2e", "compilers", "stack_variables.cpp")
        with open(source, encoding="utf-8") as file:
            wanted = {number: line.split("// ")[1].strip() for number, line in enumerate(file, 1)
                      if "// " in line and not line.startswith("//")}
        for level in levels:
            program = self.build(compiler, source, level, *options)
            result, report = self.scratch.run_heddle("--keep-going", "--max-schedules=1", "--determinism-check=0",
                                                     program)
            result.require_status(BUG)
            unnamed = set()
            for bug in report["bugs"]:
                said, lines = RACE.match(bug["message"])[1], [int(line) for line in PLACE.findall(bug["message"])]
                expected = next(wanted[line] for line in lines if line in wanted)
                name = expected.removesuffix(" or nothing")
                if not said.startswith(f"{name} (on the stack of "):
                    result.require(re.match(r"\d bytes on the stack of ", said),
                                   f"{compiler} {level}: {said} is {name}")
                    unnamed.add(expected)
            result.require(len(report["bugs"]) >= 12, f"{compiler} {level}: {len(report['bugs'])} races")
            if compiler == "clang-19" and level != "-O0":
                unnamed -= LOST_BY_CLANG_19
            excused = level != "-O0" and (compiler in LOSES_SCALARS or all("or nothing" in name for name in unnamed))
            result.require(not unnamed or excused, f"{compiler} {level}: not named: {sorted(unnamed)}")

    def check_races(self, compiler, name, *options):
        """The races told of are those that the lines name, and no others."""
        source = os.path.join(OPTIONS.source, "tests", "e2e", "compilers", name)
        names = named_lines(source)
        expected = {name for all_of_line in names.values() for name in all_of_line if name.startswith("race_")}
        program = self.build(compiler, source, *options)
        harness.run([program], self.scratch.folder).require_status(OK)  # without Heddle, too
        result, _ = self.scratch.run_heddle("--races=report", "--max-schedules=1", "--determinism-check=0", program)
        result.require_status(OK)
        racing = " ".join(line for line in result.text.splitlines() if "data race:" in line)
        found = set()
        for number in re.findall(re.escape(name) + r":(\d+)", racing):
            found.update(names.get(int(number), [f"line {number}"]))
        result.require(found == expected, f"{compiler} {options}: not seen to race: {sorted(expected - found)}, "
                                          f"wrongly so: {sorted(found - expected)}")

    def check(self, compiler):
        if shutil.which(compiler) is None:
            self.skipTest(f"{compiler} is not installed")
        usual = os.path.realpath(shutil.which("clang") or "")
        if compiler != "clang" and os.path.realpath(shutil.which(compiler)) == usual:
            self.skipTest(f"{compiler} is tested as clang")
        for name in ("every_access.c", "every_access.cpp"):
            for level in LEVELS:
                if drawn(f"{compiler} {name} {level}", 4):
                    self.check_races(compiler, name, level)
        # Before C++20 strings are compiled in libstdc++'s shared object, unless Heddle has it otherwise.
        self.check_races(compiler, "strings.cpp", "-std=c++17", "-O1")
        self.check_names(compiler, [level for level in LEVELS if drawn(f"{compiler} names {level}", 4)])

    def test_gcc(self):
        self.check("gcc")

    def test_gcc_calls(self):
        """gcc's calls for plain accesses are left out natively, all others are as they are written."""
        for options in CALLS:
            if not drawn(f"calls {options}"):
                continue
            self.check_races("gcc", "every_call.cpp", *options)
            tests = harness.tests_before_accesses(self.scratch.path("every_access"))
            self.assertEqual(tests > 8, "-mcmodel=large" not in options, f"{options}: {tests} tests")

    def test_fortified(self):
        """As distributions build: memcpy() and its kin go by other names then, which gcc would put in line."""
        for compiler in ("gcc", "clang"):
            for name in ("every_access.c", "every_access.cpp"):
                for level in ("2", "3"):
                    if drawn(f"fortified {compiler} {name} {level}"):
                        self.check_races(compiler, name, "-O2", f"-D_FORTIFY_SOURCE={level}",
                                         "-fstack-protector-strong")

    def test_the_header_where_assert_does_nothing(self):
        source = self.scratch.path("asserts.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write('#include <heddle/heddle.h>\n#undef NDEBUG\n#include <assert.h>\n'
                       'int main(void) { assert(1); heddle_assert(1 == 1, "it is"); return 0; }\n')
        for compiler, language in (("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")):
            harness.run([compiler, "-x", language, "-DNDEBUG", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I",
                         os.path.join(OPTIONS.source, "include"), source], self.scratch.folder).require_status(OK)

    def test_split_debug_information(self):
        """-gsplit-dwarf: functions and variables are described in a file of their own, lines are not."""
        source = os.path.join(OPTIONS.source, "tests", "e2e", "compilers", "lock_order.cpp")
        for compiler in ("gcc", "clang"):
            for version in ("4", "5"):
                if not drawn(f"split {compiler} {version}"):
                    continue
                split = ("-gsplit-dwarf", f"-gdwarf-{version}")
                self.check_names(compiler, ("-O0",), *split)
                result, report = self.scratch.run_heddle(self.build(compiler, source, "-O1", *split))
                result.require_status(BUG)
                forth, back = (16, 20) if compiler == "gcc" else (13, 17)  # gcc counts a statement to its last line
                for text in (f"::shared.second, which lambda at lock_order.cpp:{back} holds since "
                             "lock_order.cpp:18, at lock_order.cpp:15",
                             f"::shared.first, which lambda at lock_order.cpp:{forth} holds since "
                             "lock_order.cpp:14, at lock_order.cpp:19"):
                    result.require(text in report["bugs"][0]["message"], f"{compiler} {split}: {text}")

    def test_clang(self):
        self.check("clang")

    def test_clang_14(self):
        self.check("clang-14")

    def test_clang_15(self):
        self.check("clang-15")

    def test_clang_16(self):
        self.check("clang-16")

    def test_clang_17(self):
        self.check("clang-17")

    def test_clang_18(self):
        self.check("clang-18")

    def test_clang_19(self):
        self.check("clang-19")

    def test_libcxx(self):
        """Its headers are instrumented with the program, its shared object is not."""
        probe = self.scratch.path("probe.cpp")
        with open(probe, "w", encoding="utf-8") as file:
            file.write("#include <vector>\nint main() {}\n")
        if shutil.which("clang") is None or harness.run(["clang++", "-stdlib=libc++", probe, "-o", probe + ".out"],
                                                        self.scratch.folder).status != 0:
            self.skipTest("clang with libc++ is not installed")
        self.check_races("gcc", "other_library.cpp", "-O1")
        for level in [level for level in ("-O0", "-O2") if drawn(f"libc++ {level}")] or ["-O2"]:
            self.check_races("clang", "other_library.cpp", "-stdlib=libc++", level)
        result, report = self.scratch.run_heddle("--max-schedules=1", self.scratch.path("every_access"))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", "--width=500", report["bugs"][0]["trace"])
        page.require_says("Not built with heddle-cc: libc++.so")


if __name__ == "__main__":
    harness.main()

# A check that never fails is worth nothing: each check of tools/ gets a small tree that is in order, which it must
# pass, and the same tree with one thing wrong, where it must fail and say what.
#
#   canary_test.py --heddle build/heddle --build build --source . [test_style …]
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import harness  # noqa: E402
from harness import OPTIONS  # noqa: E402

LINE = "// What it is for.\n"
SAME_BRANCHES = "{ if (value == 1) return 1; else return 1; return"  # what clang-tidy calls a branch clone


def lines(count, line="int filler;\n"):
    return line * count


def class_of(name, methods, members, keyword="class", inner=""):
    body = "".join(f"  void method{number}();\n" for number in range(methods))
    body += "".join(f"  int member{number};\n" for number in range(members))
    return f"{keyword} {name} {{\n{inner}{body}}};\n"


def in_runtime(text):
    return f"{LINE}namespace heddle::runtime {{\nnamespace {{\n{text}}}\n}}\n"


class Canary(harness.TestCase):
    def write(self, files):
        for path, text in files.items():
            path = self.scratch.path(path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def copy(self, *paths):
        for path in paths:
            os.makedirs(os.path.dirname(self.scratch.path(path)), exist_ok=True)
            shutil.copy(os.path.join(OPTIONS.source, path), self.scratch.path(path))

    def run_check(self, tool, *arguments, **more):
        command = [sys.executable, os.path.join(OPTIONS.source, "tools", tool), *arguments]
        environment = {**os.environ, "HEDDLE_ROOT": self.scratch.folder, **more}
        if "HEDDLE_DRAWN_SEED" not in more:  # what a check draws in CI is no part of the other tests
            environment.pop("HEDDLE_DRAWN_SEED", None)
        return harness.run(command, self.scratch.folder, timeout_s=300, env=environment)

    def must_pass(self, tool, *arguments, **more):
        result = self.run_check(tool, *arguments, **more)
        result.require(result.status == 0, f"{tool} fails where nothing is wrong")

    def must_fail(self, message, tool, *arguments, **more):
        result = self.run_check(tool, *arguments, **more)
        result.require(result.status == 1, f"{tool} does not fail: expected {message}")
        result.require(re.search(message, result.text), f"{tool} does not say: {message}")

    def with_each(self, wrong, tool, *arguments):
        """`wrong`: {message: {path: text}}; each is put into the tree alone, and taken back."""
        self.must_pass(tool, *arguments)
        for message, files in wrong.items():
            before = {}
            for path in files:
                if os.path.exists(self.scratch.path(path)):
                    with open(self.scratch.path(path), encoding="utf-8") as file:
                        before[path] = file.read()
            self.write(files)
            self.must_fail(message, tool, *arguments)
            for path in files:
                os.remove(self.scratch.path(path))
            self.write(before)
        self.must_pass(tool, *arguments)

    def need(self, *programs):
        for program in programs:
            if shutil.which(program) is None:
                self.skipTest(f"{program} is not installed")

    def test_style(self):
        self.need("ctags")
        body = "  step();\n"
        self.write({"src/model/a.h": LINE + class_of("Full", 25, 20) + class_of("Data", 0, 50, "struct"),
                    "src/model/b.cpp": f"{LINE}void f() {{\n{body * 68}}}\n",
                    "src/model/c.h": LINE + lines(999), "tools/t.py": "# A tool.\n"})
        variables = "src/runtime/os/variables.cpp"
        self.write({variables: in_runtime("const int kOne = 1;\nconstexpr const char* kName = nullptr;\n"
                                          "thread_local int own = 0;\nconst char* const kText = nullptr;\n"
                                          'extern "C" char symbol[];\nExecutionTimers execution_timers;\n'
                                          "HEDDLE_PERMANENT constinit PermanentTable permanent_table{};\n"
                                          "Rare<ExecutionNotes> notes;\nvoid f() {\n  int count = 0;\n}\n")})
        undone = "TO" + "DO"
        self.with_each({
            r"src/model/a\.h:1: does not open with a comment": {"src/model/a.h": "int a;\n"},
            r"tools/t\.py:1: does not open with a comment": {"tools/t.py": "import os\n"},
            r"tests/e2e/a_test\.py: no test of it runs": {"tests/e2e/a_test.py": "# What it is for.\n"},
            r"src/model/c\.h: 1001 lines; at most 1000": {"src/model/c.h": LINE + lines(1000)},
            r"src/model/a\.h:2: something is left undone": {"src/model/a.h": f"{LINE}// {undone}: more\n"},
            r"tools/t\.py:1: 121 characters; at most 120": {"tools/t.py": "#" * 121 + "\n"},
            r"src/model/a\.h:2: blanks at the end": {"src/model/a.h": f"{LINE}int a; \n"},
            r"src/model/b\.cpp:2: f has 71 lines; at most 70": {
                "src/model/b.cpp": f"{LINE}void f() {{\n{body * 69}}}\n"},
            r"tools/t\.py:2: f has 71 lines": {"tools/t.py": "# A tool.\ndef f():\n" + "    step()\n" * 70},
            r"src/model/a\.h:2: Full has 26 methods; at most 25": {"src/model/a.h": LINE + class_of("Full", 26, 20)},
            r"src/model/a\.h:2: Full has 21 members; at most 20": {"src/model/a.h": LINE + class_of("Full", 25, 21)},
            r"src/model/a\.h:2: Data has 26 methods": {"src/model/a.h": LINE + class_of("Data", 26, 50, "struct")},
            r"Outer has 26 methods": {"src/model/a.h": LINE + class_of("Outer", 26, 1, inner=class_of("Inner", 25, 1))},
            r"variables\.cpp:4: count is in no structure": {variables: in_runtime("int count = 0;\n")},
            r"variables\.cpp:4: text is in no structure": {variables: in_runtime("const char* text = nullptr;\n")},
            r"variables\.cpp:4: table is in no structure": {
                variables: in_runtime("HEDDLE_PERMANENT constinit Table table{};\n")},
            r"variables\.cpp:4: processor is in no structure": {variables: in_runtime("Processor processor;\n")},
            r"variables\.cpp:5: inner is in no structure": {
                variables: in_runtime("void f() {\n  static int inner = 0;\n}\n")},
            r"variables\.cpp:2: global is in no structure": {variables: f"{LINE}int global = 0;\n"},
            r"shared\.h:4: shared is in no structure": {"src/runtime/os/shared.h": in_runtime("extern int shared;\n")},
        }, "check_style.py")

    def test_layers(self):
        self.write({"src/protocol/plan.h": LINE, "src/model/world.h": f'{LINE}#include "protocol/plan.h"\n'})
        self.with_each({
            r"src/protocol/plan\.h:2: .*model/world\.h": {"src/protocol/plan.h": f'{LINE}#include "model/world.h"\n'},
            r"src/model/world\.h:2: .*driver/explore\.h": {
                "src/model/world.h": f'{LINE}#include "driver/explore.h"\n', "src/driver/explore.h": LINE},
            r"src/model/world\.h:2: write \"task\.h\" from src/ on": {
                "src/model/world.h": f'{LINE}#include "task.h"\n', "src/model/task.h": LINE},
            r"src/attic/old\.h: src/attic is no layer": {"src/attic/old.h": LINE},
            r"src/runtime/start\.cpp: src/runtime is no floor": {"src/runtime/start.cpp": LINE},
            r"src/runtime/os/real\.h:2: os must not include runtime/heap/heap\.h, a higher floor": {
                "src/runtime/os/real.h": f'{LINE}#include "runtime/heap/heap.h"\n', "src/runtime/heap/heap.h": LINE},
            r"src/model/task\.h: is in a cycle of includes: model/task model/world": {
                "src/model/task.h": f'{LINE}#include "model/world.h"\n',
                "src/model/world.cpp": f'{LINE}#include "model/task.h"\n'},
        }, "check_layers.py")

    def test_references(self):
        code, guide = "src/model/a.h", "docs/GUIDE.md"
        self.write({"src/search/frontier.h": LINE, "README.md": "See [the guide](docs/GUIDE.md).\n",
                    code: f'{LINE}// See search/frontier.h and frontier.h: an issue of its own.\n#include "states.h"\n',
                    guide: "See [README](../README.md), `queue.hpp`, `tests/NAME_test.cpp`.\n```\nsrc/states.h\n```\n"})
        self.with_each({
            r"src/model/a\.h:2: there is no file search/states\.h": {code: f"{LINE}// See search/states.h.\n"},
            r"src/model/a\.h:2: there is no file states\.h": {code: f"{LINE}int a;  // see states.h\n"},
            r"tools/t\.py:1: there is no file design\.md": {"tools/t.py": "# As in design.md.\n"},
            r"docs/GUIDE\.md:1: there is no file src/search/states\.h": {guide: "See `src/search/states.h`.\n"},
            r"docs/GUIDE\.md:1: there is no file \.\./GUIDE\.md": {guide: "See [itself](../GUIDE.md).\n"},
            r"src/model/a\.h:2: refers to an issue": {code: f"{LINE}int a;  // what issue 3 wants\n"},
            r"docs/GUIDE\.md:2: refers to an issue": {guide: "\nAs in issue B.\n"},
        }, "check_references.py")

    def test_every_check_has_one(self):
        with open(os.path.abspath(__file__), encoding="utf-8") as file:
            text = file.read()
        for name in os.listdir(os.path.join(OPTIONS.source, "tools")):
            if name.startswith("check_"):
                self.assertIn(f'"{name}"', text, f"tools/{name} has no canary here")

    def test_format(self):
        self.need("clang-format")
        self.copy(".clang-format")
        self.write({"src/model/a.cpp": f"{LINE}int a() {{ return 1; }}\n"})
        self.with_each({r"src/model/a\.cpp: not as clang-format writes it": {
            "src/model/a.cpp": f"{LINE}int a( ) {{ return 1; }}\n"}}, "check_format.py")

    def library(self, source, *options):
        self.write({"library.c": source})
        harness.run(["gcc", "-shared", "-fPIC", "-w", "library.c", "-o", "library.so", *options],
                    self.scratch.folder).require_status(0)
        return self.scratch.path("library.so")

    def test_symbols(self):
        self.write({"tools/exported_symbols.txt": "good\n"})
        good = "int good(void) { return 1; }\n"
        self.must_pass("check_symbols.py", self.library(good))
        for message, source, *options in (
                ("more is exported and not in tools/exported_symbols", good + "int more(void) { return 1; }"),
                ("good is in tools/exported_symbols.txt and not exported", "static int good(void) { return 1; }"),
                ("strange is imported and not from glibc", "int strange(void); int good(void) { return strange(); }"),
                ("_Znwm is imported: the runtime must do without", "void* _Znwm(long);\n"
                 "void* good(void) { return _Znwm(1); }"),
                (r"needs libm\.so\.6; allowed are", good, "-Wl,--no-as-needed", "-lm"),
                ("more than one constructor runs", good + "static __attribute__((constructor)) void one(void) {}\n"
                 "static __attribute__((constructor)) void two(void) {}"),
                ("bytes of variables are put back", good + "static char table[9000];\n"
                 "static __attribute__((constructor)) void use(void) { *(volatile char*)table = 1; }")):
            self.must_fail(message, "check_symbols.py", self.library(source, *options))

    def test_api(self):
        """That the check passes on the real table is the test check.api."""
        table = "src/runtime/api.def"
        self.copy(table, "docs/API.md", "src/runtime/intercept/library_calls.def",
                  "src/runtime/system_calls/modelled.def", "tools/api_families.txt")
        library = os.path.join(OPTIONS.build, "libheddle.so")
        with open(self.scratch.path(table), encoding="utf-8") as file:
            rows = file.read()
        self.write({table: rows + 'HEDDLE_API(pthread_detach, Threads, Modelled, "once more")\n'
                                  'HEDDLE_API(pthread_misspelt, Threads, Imagined, "nothing")\n'})
        for message in ("pthread_detach stands there twice", "pthread_misspelt: Imagined is none of"):
            self.must_fail(message, "check_api.py", library)
        for function in ("pthread_equal", "pthread_join"):
            rows = re.sub(rf"^HEDDLE_API\({function}, .*\n", "", rows, flags=re.MULTILINE)
        rows = rows.replace("HEDDLE_API(pthread_attr_init, Attributes, PassedThrough",
                            "HEDDLE_API(pthread_attr_init, Attributes, Refused")
        self.write({table: rows + 'HEDDLE_API(pthread_misspelt, Threads, PassedThrough, "nothing")\n'})
        result = self.run_check("check_api.py", library)
        result.require_status(1)
        result.require_says("pthread_equal (libc.so.6) can block, wake, create a task",
                            "pthread_join is interposed and not classified", "no library has pthread_misspelt",
                            "pthread_attr_init is Refused in src/runtime/api.def, but libheddle.so does not export it",
                            "docs/API.md is not what src/runtime/api.def says")

    def test_guide(self):
        guide = "before\n<!-- options: begin -->\n{}\n<!-- options: end -->\nafter\n"
        self.write({"docs/GUIDE.md": guide.format("| --one |"), "heddle": "#!/bin/sh\necho '| --one |'\n"})
        os.chmod(self.scratch.path("heddle"), 0o755)
        check = ("renew_guide.py", "--check", self.scratch.path("heddle"))
        self.with_each({"the tables are not those of `heddle help --markdown`": {
            "docs/GUIDE.md": guide.format("| --two |")}}, *check)

    def commands(self, *units):
        self.write({"build/compile_commands.json": json.dumps([
            {"directory": self.scratch.folder, "file": self.scratch.path(unit),
             "command": f"c++ -std=c++20 -I{self.scratch.path('src')} -o {unit}.o -c {self.scratch.path(unit)}"}
            for unit in units])})

    def test_clang_tidy(self):
        """It finds a mistake in a unit or in a header, and remembers only what is in order."""
        self.need("clang-tidy")
        self.copy(".clang-tidy")
        header, unit = "src/model/a.h", "src/model/a.cpp"
        right = f"{LINE}#pragma once\ninline int twice(int value) {{ return 2 * value; }}\n"
        self.write({header: right, unit: f'{LINE}#include "model/a.h"\nint four() {{ return twice(2); }}\n'})
        self.commands(unit)
        check = ("run_clang_tidy.py", self.scratch.path("build"))
        cache = {"XDG_CACHE_HOME": self.scratch.path("cache")}
        self.must_pass(*check, **cache)
        result = self.run_check(*check, **cache)
        result.require("1 files, 0 checked now" in result.text, "what was clean is checked again")
        self.write({header: right.replace("{ return", SAME_BRANCHES)})
        for _ in range(2):
            self.must_fail(r"a\.h:3:\d+: error: .*branch", *check, **cache)
        self.write({header: right})
        self.must_pass(*check, **cache)

    def test_clang_tidy_together(self):
        """Units that are checked together: each mistake is found where it is, and what clashes is no mistake."""
        self.need("clang-tidy")
        self.copy(".clang-tidy")
        helper = "#include <vector>\nnamespace {\nint helper(int value) { return value; }\n}\n"
        text = {f"src/model/{name}.cpp": f"{LINE}{helper if name in 'ab' else ''}int {name}(int value) "
                f"{{ return value{' + helper(1)' if name in 'ab' else ''}; }}\n" for name in "abcdefg"}
        self.write(text)
        self.commands(*text)
        check = ("run_clang_tidy.py", self.scratch.path("build"))
        result = self.run_check(*check, XDG_CACHE_HOME=self.scratch.path("first"))
        result.require("7 files, 7 checked now, 1 of them alone, 0 with findings" in result.text, "they stay apart")
        for path, wrong, message in (("src/model/c.cpp", SAME_BRANCHES, r"c\.cpp:2:\d+: error: .*branch"),
                                     ("src/model/d.cpp", "{ int* none = nullptr; if (value == 1) return *none; return",
                                      r"d\.cpp:2:\d+: error: Dereference of null pointer"),
                                     ("src/model/e.cpp", "{ return missing +", r"e\.cpp:2:\d+: error: .*missing")):
            self.write({path: text[path].replace("{ return", wrong)})
            result = self.run_check(*check, XDG_CACHE_HOME=self.scratch.path("cache"))
            result.require_status(1)
            result.require(re.search(message, result.text), f"it does not say: {message}")
            result.require(", 1 with findings" in result.text, "it names others")
            self.write({path: text[path]})
            self.must_pass(*check, XDG_CACHE_HOME=self.scratch.path("cache"))

    def test_clang_tidy_unity(self):
        """Where the build compiles several sources as one, each of them is checked."""
        self.need("clang-tidy")
        self.copy(".clang-tidy")
        right = {f"src/model/{name}.cpp": f"{LINE}int {name}(int value) {{ return value; }}\n" for name in "ab"}
        unity = "build/Unity/unity_1_cxx.cxx"
        self.write({**right, unity: "".join(f'#include "{self.scratch.path(path)}"\n' for path in right)})
        self.commands(unity)
        check = ("run_clang_tidy.py", self.scratch.path("build"))
        cache = {"XDG_CACHE_HOME": self.scratch.path("cache")}
        result = self.run_check(*check, **cache)
        result.require("2 files, 2 checked now" in result.text, "sources are left out")
        path = "src/model/b.cpp"
        self.write({path: right[path].replace("{ return", SAME_BRANCHES)})
        self.must_fail(r"b\.cpp:2:\d+: error: .*branch", *check, **cache)

    def test_clang_tidy_drawn(self):
        """In CI a third of the units is drawn, and what was changed lately is always checked."""
        self.need("clang-tidy")
        self.need("git")
        self.copy(".clang-tidy")
        right = {f"src/model/{name}.cpp": f"{LINE}int {name}(int value) {{ return value; }}\n" for name in "abcdefgh"}
        self.write(right)
        self.commands(*right)
        git = ("git", "-c", "user.name=canary", "-c", "user.email=canary@localhost", "-C", self.scratch.folder)
        script = f"{shlex.join(git)} init -q && {shlex.join(git)} add src && {shlex.join(git)} commit -qm one"
        script += f"; for i in $(seq 30); do {shlex.join(git)} commit -q --allow-empty -m more; done"
        subprocess.run(["bash", "-c", script], check=True)
        drawn = {path for path in right if zlib.crc32(f"7 {path}".encode()) % 3 == 0}
        changed = min(right.keys() - drawn)
        seed = {"HEDDLE_DRAWN_SEED": "7", "XDG_CACHE_HOME": self.scratch.path("cache")}
        check = ("run_clang_tidy.py", self.scratch.path("build"))
        result = self.run_check(*check, **seed)
        result.require(f"8 files, {len(drawn)} checked now" in result.text, "another number of units is checked")
        self.write({changed: right[changed].replace("{ return", SAME_BRANCHES)})
        self.must_fail(rf"{os.path.basename(changed)}:2:\d+: error: .*branch", *check, **seed)


if __name__ == "__main__":
    harness.main()

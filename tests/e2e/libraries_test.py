# Libraries whose own locks Heddle does not see (src/runtime/intercept/library_calls.def): GLib, OpenMP, Abseil. Each
# small program has a bug with -DBUG. Without it nothing may be reported. They are built plainly and by heddle-cc.
import os
import re
import struct
import subprocess

import harness
from harness import BUG, OK


def move_program_headers(library):
    """To a segment of their own behind everything else, as tools that rewrite programs do."""
    header, entry, load, own = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ"), 1, 6  # PT_LOAD, PT_PHDR
    with open(library, "rb") as file:
        data = bytearray(file.read())
    fields = list(header.unpack_from(data))
    entries = [list(entry.unpack_from(data, fields[5] + i * entry.size)) for i in range(fields[10])]
    loaded = [i for i, one in enumerate(entries) if one[0] == load]
    address = (max(entries[i][3] + entries[i][6] for i in loaded) + 0xffff) & ~0xfff
    data += bytes(-len(data) % 0x10000)  # so far back in the file that nothing is loaded at that distance
    where, size = [len(data), address, address], entry.size * (len(entries) + 1)
    entries.insert(loaded[-1] + 1, [load, 4, *where, size, size, 0x1000])
    for one in entries:
        if one[0] == own:
            one[2:7] = [*where, size, size]
        data += entry.pack(*one)
    fields[5], fields[10] = where[0], len(entries)
    header.pack_into(data, 0, *fields)
    with open(library, "wb") as file:
        file.write(data)


class Libraries(harness.TestCase):
    def flags(self, package):
        command = ["pkg-config", "--cflags", "--libs", package]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(found.returncode, 0, f"{package} is not installed: ./dev setup installs it")
        return found.stdout.split()

    def build(self, source, *flags, compiler=None, name=None):
        path = os.path.join(harness.OPTIONS.source, "tests", "e2e", "libraries", source)
        cpp = source.endswith(".cpp")
        program = name or os.path.splitext(source)[0]
        words = compiler if isinstance(compiler, list) else [compiler or ("g++" if cpp else "gcc")]
        command = [*words, "-g", "-O1", *(["-std=c++17"] if cpp else []), path, *flags]
        harness.run([*command, "-o", program, "-pthread"], self.scratch.folder).require_status(0)
        return self.scratch.path(program)

    def test_a_lock_that_is_taken_again(self):
        """A thread that is woken for the lock comes too late in each round: no bug. With -DBUG nobody ends the loop."""
        glib = self.flags("glib-2.0")
        result, report = self.scratch.run_heddle("--max-schedules=300", self.build("glib_taken_again.c", *glib))
        result.require(report["bugs"] == [], "a bug was reported")
        result.require_says("finds it taken again each time")
        result, report = self.scratch.run_heddle(self.build("glib_taken_again.c", "-DBUG", *glib))
        result.require_status(BUG)
        result.require([bug["kind"] for bug in report["bugs"]] == ["livelock"], "expected a livelock")

    def check(self, source, *flags, says):
        wrapper = harness.program("heddle-c++" if source.endswith(".cpp") else "heddle-cc")
        for compiler in (None, wrapper):
            result, report = self.scratch.run_heddle("--max-preemptions=2",
                                                     self.build(source, *flags, compiler=compiler))
            result.require_status(OK)
            result.require(report["preemption_bound_proved"] >= 2, "bound 2 was not proved")
            result, report = self.scratch.run_heddle(self.build(source, "-DBUG", *flags, compiler=compiler))
            result.require_status(BUG)
            result.require([bug["kind"] for bug in report["bugs"]] == ["deadlock"], "expected a deadlock")
            result.require_says(*says)
            self.scratch.heddle("replay").require_status(BUG)

    def test_glib_locks(self):
        self.check("glib_locks.c", *self.flags("glib-2.0"), says=["waits in g_mutex_lock to be woken, at glib_locks.c"])

    def test_a_loop_on_a_lock_of_glib_is_no_bug(self):
        """It comes round at a place that is one for two objects: GLib's lock, and the one that this consists of."""
        result, _ = self.scratch.run_heddle("--max-schedules=200", "--search=delay",
                                            self.build("glib_waits.c", *self.flags("glib-2.0")))
        result.require_status(OK)
        result.require_says("glib_waits.c:9 and never yields")
        result, report = self.scratch.run_heddle(self.build("glib_waits.c", "-DBUG", *self.flags("glib-2.0")))
        result.require_status(BUG)
        self.assertEqual(report["bugs"][0]["kind"], "assertion")

    def test_glib_queue(self):
        self.check("glib_queue.c", *self.flags("glib-2.0"), says=["g_async_queue_pop"])

    def test_places_are_the_program_s(self):
        """Functions that end in a jump have no frame: what they jump to seems to be called by Heddle."""
        result, report = self.scratch.run_heddle(self.build("glib_recursive.c", *self.flags("glib-2.0")))
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", "--stacks", harness.trace_of(report, self.scratch))
        page.require_says("glib_recursive.c:12", "glib_recursive.c:19")
        page.require("library_calls.cpp" not in page.text, "a place is in Heddle's own code")

    def test_program_headers_may_lie_elsewhere(self):
        """The one library is loaded before executions begin, the other in each of them."""
        for name, text in (("value.c", "int value(void) { return 3; }\n"),
                           ("use.c", "#include <dlfcn.h>\n#include <pthread.h>\n#include <stdlib.h>\nint value(void);\n"
                                     "static void* use(void* unused) {\n"
                                     "  void* library = dlopen(\"./libother.so\", RTLD_NOW);\n"
                                     "  int (*other)(void) = (int (*)(void))dlsym(library, \"value\");\n"
                                     "  exit(value() + other());\n  return unused;\n}\nint main(void) {\n"
                                     "  pthread_t thread;\n  pthread_create(&thread, 0, use, 0);\n"
                                     "  pthread_join(thread, 0);\n}\n")):
            with open(self.scratch.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        for library in ("libvalue.so", "libother.so"):
            harness.run(["gcc", "-shared", "-fPIC", "value.c", "-o", library], self.scratch.folder).require_status(0)
            move_program_headers(self.scratch.path(library))
        harness.run(["gcc", "-g", "use.c", "-L.", "-lvalue", "-Wl,-rpath,$ORIGIN", "-pthread", "-o", "use"],
                    self.scratch.folder).require_status(0)
        harness.run([self.scratch.path("use")], self.scratch.folder).require_status(6)
        result, _ = self.scratch.run_heddle(self.scratch.path("use"))
        result.require_says("exit", "status 6")
        result.require("SIGSEGV" not in result.text, "Heddle itself crashed")

    def test_glib_others(self):
        for compiler in (None, harness.program("heddle-cc")):
            program = self.build("glib_others.c", *self.flags("glib-2.0"), compiler=compiler)
            result, _ = self.scratch.run_heddle("--max-preemptions=1", "--max-schedules=20000", program)
            result.require_status(OK)

    def test_glib_once(self):
        compiler = harness.program("heddle-cc")
        program = self.build("glib_once.c", *self.flags("glib-2.0"), compiler=compiler)
        result, report = self.scratch.run_heddle(program)
        result.require_status(OK)
        result.require(report["complete"] and report["schedules"] > 20, "the searches differ from what they were")
        result, _ = self.scratch.run_heddle(self.build("glib_once.c", "-DTOO_EARLY", *self.flags("glib-2.0"),
                                                       compiler=compiler))
        result.require_status(BUG)
        result.require_says("data race", "made at glib_once.c")

    def test_names_are_those_of_the_libraries(self):
        """What is misspelt in the table would be called by nobody. Qt is not looked at: it is not installed."""
        table = os.path.join(harness.OPTIONS.source, "src", "runtime", "intercept", "library_calls.def")
        with open(table, encoding="utf-8") as file:
            names = re.findall(r"^HEDDLE_LIBRARY_(?:CALL|REGION)\((\w+)", file.read(), re.MULTILINE)
        for pattern, library, least in ((r"g_", "libglib-2.0.so.0", 10), (r"omp_|GOMP_", "libgomp.so.1", 10),
                                        (r"__kmpc_|omp_", "libomp.so.5", 5),
                                        (r"_ZNK?4absl", "libabsl_synchronization.so", 10)):
            path = f"/usr/lib/x86_64-linux-gnu/{library}"
            listed = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True)
            known = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
            wanted = {name for name in names if re.match(pattern, name)}
            self.assertGreaterEqual(len(wanted), least)
            self.assertEqual(sorted(wanted - known), [])

    def test_openmp(self):
        self.check("openmp.cpp", "-fopenmp", says=["waits in omp_set_lock to be woken, at openmp.cpp"])

    def test_openmp_critical(self):
        """What has no name in the program is called by no name of Heddle's either."""
        self.scratch.run_heddle(self.build("openmp_critical.c", "-fopenmp"))[0].require_status(OK)
        self.scratch.run_heddle(self.build("openmp_critical.c", "-fopenmp", "-DBUG"))[0].require_status(BUG)
        shown = self.scratch.heddle("show", "--full")
        shown.require_says("calls a library that synchronizes by locks")
        shown.require("heddle::" not in shown.text, "the page tells of Heddle's own code")

    def test_deadlock_beside_an_idle_library(self):
        """Its place is where the program waits, not where the library always does."""
        folder = os.path.join(harness.OPTIONS.source, "tests", "e2e", "libraries")
        harness.run(["gcc", "-shared", "-fPIC", os.path.join(folder, "idle_library.c"), "-o", "libidle.so", "-pthread"],
                    self.scratch.folder).require_status(0)
        program = self.build("idle_user.c", "-L.", "-lidle", "-Wl,-rpath,$ORIGIN")
        result, report = self.scratch.run_heddle(program)
        result.require_status(BUG)
        result.require(report["bugs"][0]["site"].endswith("idle_user.c:9"), f"at {report['bugs'][0]['site']}")

    def test_openmp_of_clang(self):
        def build(*more):
            return self.build("openmp_of_clang.c", "-fopenmp", *more, compiler="clang")
        self.scratch.run_heddle("--max-preemptions=1", build())[0].require_status(OK)
        self.scratch.run_heddle("--max-preemptions=1", build("-DBUG"))[0].require_status(BUG)
        self.scratch.heddle("replay").require_status(BUG)

    def test_openmp_regions(self):
        """The detector knows what their ends order, by either compiler, and what nothing orders."""
        for compiler in ("gcc", "clang"):
            wrapper = ["env", "HEDDLE_CC=" + compiler, harness.program("heddle-cc")]
            for bug, status in (((), OK), (("-DBUG",), BUG)):
                program = self.build("openmp_regions.c", "-fopenmp", *bug, compiler=wrapper)
                result, _ = self.scratch.run_heddle("--max-preemptions=0", "--max-schedules=300", program)
                result.require_status(status)
                if bug:
                    result.require_says("data race", "values")

    def test_openmp_pieces(self):
        """Who gets the next piece is for the search to say: any thread may."""
        for compiler in ("gcc", "clang"):
            wrapper = ["env", "HEDDLE_CC=" + compiler, harness.program("heddle-cc")]
            for sections in ((), ("-DSECTIONS",)):
                copy = ("-DCOPY",) if compiler == "gcc" else ()
                program = self.build("openmp_pieces.c", "-fopenmp", *sections, *copy, compiler=wrapper)
                result, _ = self.scratch.run_heddle("--max-preemptions=1", "--max-schedules=2000", program)
                result.require_status(OK)
                program = self.build("openmp_pieces.c", "-fopenmp", "-DBUG", *sections, compiler=wrapper)
                result, _ = self.scratch.run_heddle("--max-preemptions=1", program)
                result.require_status(BUG)
                result.require_says("data race", "shared")

    def test_abseil(self):
        self.check("abseil.cpp", *self.flags("absl_synchronization"),
                   says=["waits in absl::debian3::MutexLock::MutexLock to be woken, at abseil.cpp"])

    def test_library_that_is_loaded_locally(self):
        """Calls of GLib come to Heddle, and GLib does not come behind it."""
        library = self.build("used_locally.c", "-shared", "-fPIC", *self.flags("glib-2.0"), name="libused.so")
        result, _ = self.scratch.run_heddle(self.build("loads_locally.c"), library)
        result.require_status(OK)


if __name__ == "__main__":
    harness.main()

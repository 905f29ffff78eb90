# Building programs for Heddle in other ways than with heddle-cc: CMake's heddle_instrument(), pkg-config. What comes
# out runs natively, and under Heddle its accesses are seen: a race between a program and its two libraries is found.
import os
import re
import shutil

import harness
from harness import BUG, OK, OPTIONS

COUNTER = """#include "counter.h"
int counter = 0;
void count(void) { ++counter; }
"""
OTHER = """#include "counter.h"
int other = 0;
void count_other(void) { ++other; }
"""
HEADER = """#ifdef __cplusplus
extern "C" {
#endif
void count(void);
void count_other(void);
#ifdef __cplusplus
}
#endif
"""
MAIN = """#include "counter.h"
#include <string>
#include <thread>
#ifdef __has_feature
#define __SANITIZE_THREAD__ __has_feature(thread_sanitizer)
#endif
#if __SANITIZE_THREAD__ && _GLIBCXX_EXTERN_TEMPLATE > 0
#error strings are not compiled here
#endif
int main() {
  std::thread thread([] { count(); count_other(); });
  count();
  count_other();
  thread.join();
}
"""
LISTS = """cmake_minimum_required(VERSION 3.16)
project(counting C CXX)
find_package(Heddle REQUIRED)
find_package(Threads REQUIRED)
set(CMAKE_BUILD_TYPE Debug)
add_library(counter SHARED counter.c)
add_library(other STATIC other.c)
add_executable(counting main.cpp)
target_link_libraries(counting counter other Threads::Threads Heddle::heddle)
heddle_instrument(counting counter other)
enable_testing()
heddle_add_test(NAME schedules TARGET counting OPTIONS --races=ignore ARGUMENTS one "two words")
heddle_add_test(NAME races TARGET counting)
"""


class Instrument(harness.TestCase):
    def write_sources(self):
        for name, text in (("counter.c", COUNTER), ("other.c", OTHER), ("counter.h", HEADER), ("main.cpp", MAIN),
                           ("CMakeLists.txt", LISTS)):
            with open(self.scratch.path(name), "w", encoding="utf-8") as file:
                file.write(text)

    def run_checked(self, command):
        result = harness.run(command, self.scratch.folder)
        result.require_status(OK)
        return result

    def expect_both_races(self, program, *others, tested=True):
        """`tested`: the calls for accesses are left out natively, as gcc does; also in the libraries `others`."""
        self.run_checked([program])
        for path in (program, *others):
            self.assertEqual(harness.tests_before_accesses(path) > 0, tested, path)
        linked = self.run_checked(["ldd", program])
        linked.require("libtsan" not in linked.text, "the sanitizer's own library is linked")
        result, report = self.scratch.run_heddle("--keep-going", "--races=bug", program)
        result.require_status(BUG)
        result.require(all(bug["kind"] == "data race" for bug in report["bugs"]), "other bugs than races")
        places = " ".join(re.findall(r"\w+\.c:3", result.text))
        result.require("counter.c:3" in places and "other.c:3" in places, "not both races are told of")

    def build_with_cmake(self, c, cpp, *options):
        self.write_sources()
        self.run_checked(["cmake", "-G", "Ninja", "-S", ".", "-B", "built", f"-DHeddle_DIR={OPTIONS.build}",
                          f"-DCMAKE_C_COMPILER={c}", f"-DCMAKE_CXX_COMPILER={cpp}", *options])
        self.run_checked(["cmake", "--build", "built"])
        self.expect_both_races(self.scratch.path("built/counting"), self.scratch.path("built/libcounter.so"),
                               tested=c == "gcc")

    def test_cmake_function(self):
        self.build_with_cmake("gcc", "g++")

    def test_cmake_function_link_time(self):
        self.build_with_cmake("gcc", "g++", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_CXX_FLAGS=-pipe")

    def test_cmake_function_clang(self):
        self.build_with_cmake("clang", "clang++")

    def test_cmake_tests(self):
        """Of the build folder and of an installed Heddle; -static-libstdc++ asks for the operators new."""
        self.run_checked(["cmake", "--install", OPTIONS.build, "--prefix", self.scratch.path("installed")])
        installed = ["-DCMAKE_EXE_LINKER_FLAGS=-static-libstdc++",
                     f"-DHeddle_DIR={self.scratch.path('installed/lib/cmake/Heddle')}"]
        for options in ([], installed):
            self.build_with_cmake("gcc", "g++", *options)
            result = harness.run(["ctest", "--test-dir", "built", "--output-on-failure"], self.scratch.folder)
            result.require(result.status != OK, "the test with races has passed")
            self.assertRegex(result.text, r"schedules \.+ +Passed")
            self.assertRegex(result.text, r"races \.+\*+Failed")
            result.require_says("data race", "counter.c:3", "heddle replay")

    def folder_with_a_space(self, *names):
        """A copy of what is needed to build programs, and of these files."""
        folder = self.scratch.path("heddle here")
        os.mkdir(folder)
        for name in ("libheddle_instrument.a", "libheddle_operators.a", "heddle-gcc-calls.s", *names):
            shutil.copy(os.path.join(OPTIONS.build, name), folder)
        shutil.copytree(os.path.join(OPTIONS.build, "heddle-cxx"), os.path.join(folder, "heddle-cxx"))
        os.symlink(OPTIONS.heddle, os.path.join(folder, "heddle"))
        return folder

    def test_cmake_function_from_a_folder_with_a_space(self):
        folder = self.folder_with_a_space("HeddleConfig.cmake", "HeddleCopy.cmake", "HeddleDiscover.cmake",
                                          "heddle-gcc-compile.specs")
        self.build_with_cmake("gcc", "g++", f"-DHeddle_DIR={folder}")

    def build_with_wrappers(self, folder, *options):
        self.write_sources()
        c, cpp = (os.path.join(folder, name) for name in ("heddle-cc", "heddle-c++"))
        self.run_checked([c, "-g", *options, "-fPIC", "-shared", "counter.c", "-o", "libcounter.so"])
        self.run_checked([c, "-g", *options, "-c", "other.c", "-o", "other.o"])
        self.run_checked([cpp, "-g", *options, "-pthread", "main.cpp", "other.o", "-L.", "-lcounter",
                          "-Wl,-rpath,$ORIGIN", "-o", "counting"])
        self.expect_both_races(self.scratch.path("counting"), self.scratch.path("libcounter.so"))

    def test_wrappers_from_a_folder_with_a_space(self):
        folder = self.folder_with_a_space("heddle-cc", "heddle-c++", "heddle-gcc.specs", "heddle-g++.specs")
        for options in ([], ["-pipe"], ["-flto", "-O1"]):
            self.build_with_wrappers(folder, *options)

    def build_with_pkg_config(self, package, c, cpp, *more):
        """As makefiles do it: the compiling options are on the linking lines, too."""
        self.write_sources()
        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(OPTIONS.build, "pkgconfig"))
        options = {}
        for what in ("cflags", "libs"):
            asked = harness.run(["pkg-config", f"--{what}", package], self.scratch.folder, env=environment)
            asked.require_status(OK)
            options[what] = asked.stdout.split()
        compile_options = ["-g", "-O1", *options["cflags"], *more]
        self.run_checked([c, *compile_options, "-fPIC", "-c", "counter.c", "-o", "counter.o"])
        self.run_checked([c, *compile_options, "-shared", "counter.o", *options["libs"], "-o", "libcounter.so"])
        self.run_checked([c, *compile_options, "-c", "other.c", "-o", "other.o"])
        self.run_checked([cpp, *compile_options, "-pthread", "main.cpp", "other.o", "-L.", "-lcounter",
                          "-Wl,-rpath,$ORIGIN", *options["libs"], "-o", "counting"])
        self.expect_both_races(self.scratch.path("counting"), self.scratch.path("libcounter.so"), tested=c == "gcc")

    def test_pkg_config(self):
        self.build_with_pkg_config("heddle-gcc", "gcc", "g++")

    def test_pkg_config_named_twice(self):
        folder = os.path.join(OPTIONS.build, "pkgconfig")
        asked = harness.run(["pkg-config", "--cflags", "heddle-gcc"], self.scratch.folder,
                            env=dict(os.environ, PKG_CONFIG_PATH=folder))
        self.build_with_pkg_config("heddle-gcc", "gcc", "g++", "-pipe", "-flto", *asked.stdout.split())

    def test_pkg_config_clang(self):
        self.build_with_pkg_config("heddle-clang", "clang", "clang++")

    def test_the_sanitizer_itself_is_refused(self):
        self.write_sources()
        with open(self.scratch.path("options"), "w", encoding="utf-8") as file:
            file.write("-g -fsanitize=undefined,thread\n")
        for wrapper, option in (("heddle-cc", "-fsanitize=thread"), ("heddle-c++", "--sanitize=thread"),
                                ("heddle-cc", "@options")):
            built = harness.run([harness.program(wrapper), option, "-c", "counter.c"], self.scratch.folder)
            built.require_status(1)
            built.require_says("stands in for -fsanitize=thread")

    def test_the_standard_library_may_be_a_part_of_the_program(self):
        """Its operators new are in a static library then, of which only what somebody asks for is taken."""
        self.build_with_cmake("gcc", "g++", "-DCMAKE_EXE_LINKER_FLAGS=-static-libstdc++")
        with open(self.scratch.path("new.cpp"), "w", encoding="utf-8") as file:
            file.write("#include <thread>\nint main() {\n  int* value = new int(1);\n"
                       "  std::thread thread([&] { *value = 2; });\n  *value = 3;\n  thread.join();\n"
                       "  delete value;\n}\n")
        with open(self.scratch.path("nothing.cpp"), "w", encoding="utf-8") as file:
            file.write("int main() {}\n")
        for compiler in ("g++", "clang++"):
            # What needs nothing else of it.
            harness.run([harness.program("heddle-c++"), "-Wl,--as-needed", "nothing.cpp", "-o", "nothing"],
                        self.scratch.folder, env=dict(os.environ, HEDDLE_CXX=compiler)).require_status(OK)
            harness.run([harness.program("heddle-c++"), "-g", "-static-libstdc++", "-static-libgcc", "new.cpp", "-o",
                         "new"], self.scratch.folder, env=dict(os.environ, HEDDLE_CXX=compiler)).require_status(OK)
            self.run_checked([self.scratch.path("new")])
            result, _ = self.scratch.run_heddle(self.scratch.path("new"))
            result.require_status(BUG)
            result.require_says("data race", "new.cpp:4", "new.cpp:5")

    def test_an_allocator_may_be_in_pieces(self):
        """A static library with malloc() and free() in files of their own: the program gets both of them."""
        for name, text in (("malloc.c", "#include <stddef.h>\nstatic char room[1 << 20];\nstatic size_t used;\n"
                                        "int given;\nvoid* malloc(size_t size) {\n  ++given;\n"
                                        "  used += (size + 15) / 16 * 16;\n  return room + (1 << 20) - used;\n}\n"),
                           ("free.c", "void free(void* block) { (void)block; }\n"),
                           ("use.c", "#include <stdlib.h>\nint main(void) {\n"
                                     "  extern int given __attribute__((weak));\n  free(malloc(3));\n"
                                     "  return &given != 0 && given > 0 ? 0 : 1;\n}\n")):
            with open(self.scratch.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        self.run_checked(["gcc", "-c", "malloc.c", "free.c"])
        self.run_checked(["ar", "rc", "liballocator.a", "malloc.o", "free.o"])
        self.run_checked([harness.program("heddle-cc"), "use.c", "-fno-builtin", "-L.", "-lallocator", "-o", "use"])
        self.run_checked([self.scratch.path("use")])

    def test_copies_are_seen_in_what_the_linker_optimizes(self):
        with open(self.scratch.path("copy.c"), "w", encoding="utf-8") as file:
            file.write("#include <pthread.h>\nstruct Values { int of[3]; } one, other;\n"
                       "static void* copy(void* unused) { one = other; return unused; }\n"
                       "int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, copy, 0);\n"
                       "  one.of[2] = 1;\n  pthread_join(thread, 0);\n  return one.of[0] + one.of[2] > 9;\n}\n")
        for compiler in ("gcc", "clang"):
            harness.run([harness.program("heddle-cc"), "-g", "-O2", "-flto", "copy.c", "-o", "copy"],
                        self.scratch.folder, env=dict(os.environ, HEDDLE_CC=compiler)).require_status(OK)
            result, _ = self.scratch.run_heddle(self.scratch.path("copy"))
            result.require_status(BUG)
            result.require_says("data race", "one")

    def build_plainly(self, main, *libraries):
        """A program that is not instrumented, of an object file that is linked by heddle-c++ or g++."""
        self.write_sources()
        self.run_checked(["g++", "-g", "-O1", "-c", "main.cpp", "-o", "main.o"])
        self.run_checked([main, "main.o", *libraries, "-o", "counting", "-pthread", "-Wl,-rpath,$ORIGIN"])
        return self.scratch.path("counting")

    def test_linking_alone_does_not_instrument(self):
        for name in ("counter", "other"):
            self.write_sources()
            self.run_checked(["gcc", "-g", "-c", name + ".c", "-o", name + ".o"])
        program = self.build_plainly(os.path.join(OPTIONS.build, "heddle-c++"), "counter.o", "other.o")
        result, report = self.scratch.run_heddle(program)
        result.require_status(OK)
        result.require_says("data races were not looked for", "Not checked: data races.")
        result.require("Not checked: data races." in report["assumptions"], "JSON does not say so")

    def test_what_another_version_built_is_named(self):
        """Also with -q, which leaves out notes."""
        self.write_sources()
        compiler = os.path.join(OPTIONS.build, "heddle-c++")
        self.run_checked([compiler, "-x", "c++", "counter.c", "other.c", "main.cpp", "-o", "counting", "-pthread"])
        program = self.scratch.path("counting")
        with open(program, "rb") as file:
            contents = file.read()
        module = re.compile(rb"\x07\0\0\0\x30\0\0\0" + rb"\0" * 40)  # heddle_module: version, size, null pointers
        self.assertEqual(len(module.findall(contents)), 1)
        with open(program, "wb") as file:
            file.write(module.sub(lambda found: b"\xff" + found.group()[1:], contents))
        result, _ = self.scratch.run_heddle(program)
        result.require_status(OK)
        result.require_says("was instrumented for another version of Heddle")
        result.require("to link by them is not enough" not in result.text, "a second reason, which is none")
        result, report = self.scratch.run_heddle(program)
        result.require_says("Not checked: data races.", "Not checked: what another version's heddle-cc has built")
        result.require("another version" in " ".join(report["assumptions"]), "JSON does not say so")

    def test_races_asked_for_in_vain(self):
        program = harness.program("corpus/bank_account_fixed")
        result, _ = self.scratch.run_heddle("--races=bug", program)
        result.require_says("data races were not looked for", "Not checked: data races.")
        result, _ = self.scratch.run_heddle(program)
        result.require("not looked for" not in result.text, "said to who did not ask")

    def test_an_instrumented_library_is_named(self):
        self.write_sources()
        compiler = os.path.join(OPTIONS.build, "heddle-cc")
        self.run_checked([compiler, "-g", "-O1", "-fPIC", "-shared", "counter.c", "other.c", "-o", "libcounter.so"])
        program = self.build_plainly("g++", "-L.", "-lcounter")
        result, report = self.scratch.run_heddle(program)
        result.require_status(BUG)
        page = self.scratch.heddle("show", "--full", "--width=500", report["bugs"][0]["trace"])
        page.require_says("Not built with heddle-cc: counting. If one of them orders the two")
        result.require_says("only libcounter.so was compiled by heddle-cc", "not the program itself")


if __name__ == "__main__":
    harness.main()

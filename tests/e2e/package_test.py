# The archive that ./dev package makes: it works from whatever folder it is unpacked in, and on systems whose libc is
# older than the one of this machine.
import os
import platform
import re
import shutil
import subprocess

import harness
from harness import BUG, OK, OPTIONS

# What a program may ask of libc: Ubuntu 22.04 has 2.35, Debian 12 has 2.36.
NEWEST_LIBC = (2, 35)
NEEDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}

LOCKS = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void both(pthread_mutex_t* first, pthread_mutex_t* second) {
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
}
static void* thread(void* unused) { both(&two, &one); return unused; }
int main(void) {
  printf("preloaded: %s\\n", getenv("LD_PRELOAD"));
  fflush(stdout);
  pthread_t id;
  pthread_create(&id, NULL, thread, NULL);
  both(&one, &two);
  pthread_join(id, NULL);
}
"""
RACE = """#include <thread>
static int count;
int main() {
  std::thread other([] { ++count; });
  ++count;
  other.join();
}
"""
PRIORITY = """#include <heddle/priority.h>
HEDDLE_PRIORITY(execution, step, task) { (void)execution, (void)task; return step; }
"""


def asked_of_libc(path):
    """The newest version of libc's symbols that the file asks for."""
    listed = subprocess.run(["objdump", "-T", path], check=True, capture_output=True, text=True).stdout
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"GLIBC_(2[.0-9]+)", listed))


def needed_by(path):
    listed = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", listed)), "RUNPATH" in listed or "RPATH" in listed


class Package(harness.TestCase):
    def unpack(self):
        """Far from the build folder, under a name that shells and patterns might take for something else."""
        config = os.path.join(OPTIONS.build, "CPackConfig.cmake")
        harness.run(["cpack", "-G", "TGZ", "--config", config, "-B", self.scratch.path("made")],
                    self.scratch.folder).require_status(OK)
        made = [name for name in os.listdir(self.scratch.path("made")) if name.endswith(".tar.gz")]
        self.assertEqual(len(made), 1, made)
        self.assertRegex(made[0], r"^heddle-[0-9.]+-linux-x86_64\.tar\.gz$")
        self.folder = self.scratch.path("Ünter+here~$1")
        os.mkdir(self.folder)
        harness.run(["tar", "xzf", self.scratch.path(f"made/{made[0]}"), "--strip-components=1"],
                    self.folder).require_status(OK)
        shutil.rmtree(self.scratch.path("made"))

    def run_unpacked(self, program, *words):
        environment = {"PATH": "/usr/bin:/bin", "HOME": self.scratch.folder}
        return harness.run([os.path.join(self.folder, "bin", program), *words], self.scratch.folder, env=environment)

    def write(self, name, text):
        with open(self.scratch.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_an_archive_for_any_folder(self):
        self.unpack()
        self.check_what_is_there()
        self.check_run()
        self.check_instrumented()
        self.check_priority()

    def check_what_is_there(self):
        for name in ("lib/heddle/python/heddle_trace.so", "lib/heddle/python/sitecustomize.py",
                     "lib/heddle/gdb/libheddle.so", "lib/heddle/gdb/heddle_gdb.py",
                     "lib/cmake/Heddle/HeddleConfig.cmake", "lib/pkgconfig/heddle-gcc.pc", "include/heddle/heddle.h",
                     "share/heddle/suite.schema.json", "share/heddle/farm.schema.json",
                     "share/heddle/farm_suite.schema.json", "share/doc/heddle/GUIDE.md",
                     "share/doc/heddle/licenses/libdw-dev",
                     "share/man/man1/heddle-test.1",
                     "share/bash-completion/completions/heddle"):
            self.assertTrue(os.path.getsize(os.path.join(self.folder, name)) > 0, name)
        for name in ("bin/heddle", "lib/heddle/libheddle.so", "lib/heddle/gdb/libheddle.so",
                     "lib/heddle/python/heddle_trace.so"):
            libraries, has_path = needed_by(os.path.join(self.folder, name))
            self.assertEqual((name, libraries - NEEDED, has_path), (name, set(), False))

    def check_run(self):
        self.write("locks.c", LOCKS)
        harness.run(["gcc", "-g", "-pthread", "locks.c", "-o", "locks"], self.scratch.folder).require_status(OK)
        found = self.run_unpacked("heddle", "run", "./locks")
        found.require_status(BUG)
        found.require_says("Bug 1: deadlock", "run again in a fresh process: reproduced",
                           f"preloaded: {self.folder}/lib/heddle/libheddle.so")
        self.run_unpacked("heddle", "replay").require_status(BUG)
        self.run_unpacked("heddle", "show").require_says("locks.c:")

    def check_instrumented(self):
        self.write("race.cpp", RACE)
        self.run_unpacked("heddle-c++", "-g", "-pthread", "race.cpp", "-o", "race").require_status(OK)
        harness.run(["./race"], self.scratch.folder).require_status(OK)
        found = self.run_unpacked("heddle", "run", "./race")
        found.require_status(BUG)
        found.require_says("data race", "race.cpp:")

    def check_priority(self):
        """The library of a user's own has shared libraries that heddle itself does not need."""
        self.write("mine.cpp", PRIORITY)
        harness.run(["g++", "-shared", "-fPIC", "-Wl,--no-as-needed", f"-I{self.folder}/include", "mine.cpp", "-o",
                     "mine.so"], self.scratch.folder).require_status(OK)
        found = self.run_unpacked("heddle", "run", "--search=bounded", "--priority=./mine.so", "./locks")
        found.require_status(BUG)
        found.require("decides nothing" not in found.text, "the library was left out")

    def test_what_it_asks_of_libc(self):
        libc = tuple(map(int, platform.libc_ver()[1].split(".")[:2]))
        if libc > (2, 36):
            self.skipTest(f"a build with libc {libc[0]}.{libc[1]} may ask for newer symbols")
        for path in (OPTIONS.heddle, os.path.join(OPTIONS.build, "libheddle.so")):
            self.assertLessEqual(asked_of_libc(path), NEWEST_LIBC, path)
        found = subprocess.run(["gcc", "-print-file-name=libstdc++.so.6"], check=True, capture_output=True, text=True)
        if libc == (2, 36):  # where that library itself asks for more than is allowed here
            self.assertGreater(asked_of_libc(found.stdout.strip()), NEWEST_LIBC)


if __name__ == "__main__":
    harness.main()

# Programs that change files which were there before: under exec isolation each schedule finds them as they were, and
# the real files stay unchanged. (Scratch folders by themselves: tests/unit/driver/scratch_test.cpp.)
import os

import harness
from harness import BUG, OK

# A store that counts how often it was opened, each time in a new file that replaces the one before, as databases do,
# and a log. FORGETS: the second thread does not see that the first has opened it.
STORE = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int read_count(void) {
  int count = -1;
  FILE* file = fopen("store/count", "r");
  assert(file != NULL && fscanf(file, "%d", &count) == 1);
  fclose(file);
  return count;
}
static void* open_store(void* name) {
  pthread_mutex_lock(&mutex);
  int count = read_count();
#ifdef FORGETS
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
#endif
  FILE* file = fopen(name, "w");
  fprintf(file, "%d", count + 1);
  fclose(file);
  assert(rename(name, "store/count") == 0);
  pthread_mutex_unlock(&mutex);
  return NULL;
}
int main(void) {
  struct stat log;
  assert(lstat("log", &log) == 0 && S_ISREG(log.st_mode) && log.st_size == 6 && log.st_mtime == 1000000000);
  assert(read_count() == 5);
  int descriptor = open("log", O_WRONLY | O_APPEND);
  assert(write(descriptor, "opened\\n", 7) == 7);
  close(descriptor);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, open_store, "store/a");
  pthread_create(&threads[1], NULL, open_store, "store/b");
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(read_count() == 7);
  return 0;
}
"""
# Writes into a file that is too large to be copied.
LARGE = """#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void* change(void* unused) {
  int descriptor = open("large", O_WRONLY);
  if (write(descriptor, "changed", 7) != 7) _exit(1);
  close(descriptor);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, change, NULL);
  pthread_join(thread, NULL);
  return 0;
}
"""


class ScratchTest(harness.TestCase):
    def build(self, text, *options):
        with open(self.scratch.path("program.c"), "w", encoding="utf-8") as file:
            file.write(text)
        harness.run(["gcc", "-O1", "-g", "-pthread", *options, "program.c", "-o", "program"],
                    self.scratch.folder).require_status(0)

    def write(self, name, text):
        with open(self.scratch.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.scratch.path(name), encoding="utf-8") as file:
            return file.read()

    def make_store(self):
        os.mkdir(self.scratch.path("store"))
        self.write("store/count", "5")
        self.write("log", "begun\n")
        os.utime(self.scratch.path("log"), (1e9, 1e9))

    def require_untouched(self):
        self.assertEqual(os.listdir(self.scratch.path("store")), ["count"])
        self.assertEqual(self.read("store/count") + self.read("log"), "5begun\n")
        self.assertEqual(os.stat(self.scratch.path("log")).st_mtime, 1e9)

    def test_each_schedule_finds_the_files_of_before(self):
        self.make_store()
        self.build(STORE)
        for workers in ("-j1", "-j2"):
            result, report = self.scratch.run_heddle("--isolation=exec", workers, "./program")
            result.require_status(OK)
            result.require(report["complete"] and report["lost_coverage"] == 0, "schedules are missing")
            self.require_untouched()

    def test_a_bug_that_files_show_is_replayed_with_them(self):
        self.make_store()
        self.build(STORE, "-DFORGETS")
        result, report = self.scratch.run_heddle("--isolation=exec", "./program")
        result.require_status(BUG)
        self.require_untouched()
        for _ in range(3):
            self.scratch.heddle("replay", harness.trace_of(report, self.scratch)).require_status(BUG)
            self.require_untouched()

    def test_what_is_large_is_changed_in_place(self):
        self.write("large", "x" * (5 << 20))
        self.build(LARGE)
        result, report = self.scratch.run_heddle("./program")
        result.require_status(OK)
        result.require(report["isolation"] == "exec", "a file is changed")
        self.assertEqual(self.read("large")[:8], "changedx", "as docs/LIMITATIONS.md says")


if __name__ == "__main__":
    harness.main()

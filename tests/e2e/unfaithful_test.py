# Unfaithful snapshots: where Heddle may choose another isolation, it must not report a bug that no fresh process shows.
import harness
from harness import BUG, OK

# What executions leave in the base of the GS segment is not put back. From the sixth on there is a race on `racy`. With
# MEANT there is another, which the program says is meant: what comes of its orders is a bug.
RACE_ON_SNAPSHOTS_ONLY = """#include <assert.h>
#include <pthread.h>
#include <stdint.h>
void AnnotateBenignRaceSized(const char*, int, const volatile void*, unsigned long, const char*)
    __attribute__((weak));
static pthread_mutex_t before = PTHREAD_MUTEX_INITIALIZER, behind = PTHREAD_MUTEX_INITIALIZER;
static int racy, meant;
static void update(void) {
#ifdef MEANT
  int seen = meant;
  meant = seen + 1;
#endif
}
static void* run(void* unused) {
  pthread_mutex_lock(&before);
  pthread_mutex_unlock(&before);
  update();
  uint64_t executions;
  __asm__ volatile("rdgsbase %0" : "=r"(executions));
  __asm__ volatile("wrgsbase %0" : : "r"(executions + 1));
  if (executions >= 5) {
    pthread_mutex_lock(&behind);
    pthread_mutex_unlock(&behind);
    ++racy;
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  AnnotateBenignRaceSized(__FILE__, __LINE__, &meant, sizeof meant, "meant");
  pthread_create(&thread, NULL, run, NULL);
  update();
  ++racy;
  pthread_mutex_lock(&before);
  pthread_mutex_unlock(&before);
  pthread_join(thread, NULL);
#ifdef MEANT
  assert(meant == 2);
#endif
  return 0;
}
"""


class Unfaithful(harness.TestCase):
    def build(self, *options):
        source, program = self.scratch.path("race.c"), self.scratch.path("race")
        with open(source, "w", encoding="utf-8") as file:
            file.write(RACE_ON_SNAPSHOTS_ONLY)
        harness.run([harness.program("heddle-cc"), "-g", "-pthread", *options, source, "-o", program],
                    self.scratch.folder).require_status(OK)
        return program

    def test_race_on_a_snapshot_only_is_none(self):
        """Not told of, nor are its places points: the search begins anew under fork, which would find it, too."""
        program = self.build()
        result, _ = self.scratch.run_heddle("-j1", "--isolation=snapshot", program)
        result.require_status(BUG)
        result, _ = self.scratch.run_heddle("-j1", program)
        result.require_status(OK)
        result.require_says("the search begins anew, because putting memory back is not enough")
        result.require("places that race" not in result.text, "its places are scheduling points")

    def test_race_that_is_meant_is_a_point_all_the_same(self):
        """It was found before the search began anew, and is not forgotten by that."""
        result, report = self.scratch.run_heddle("-j1", self.build("-DMEANT"))
        result.require_status(BUG)
        result.require_says("the search begins anew, because putting memory back is not enough")
        result.require(report["bugs"][0]["kind"] == "assertion", f"another bug: {report['bugs'][0]['kind']}")


if __name__ == "__main__":
    harness.main()

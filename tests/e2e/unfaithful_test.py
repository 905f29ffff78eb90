# What is found on snapshots that are not faithful: bugs that no fresh process has are not told of, where Heddle may
# choose another isolation.
import harness
from harness import BUG, OK

# What executions leave in the base of the GS segment is not put back. From the sixth on there is a race.
RACE_ON_SNAPSHOTS_ONLY = """#include <pthread.h>
#include <stdint.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int racy;
static void* run(void* unused) {
  uint64_t executions;
  __asm__ volatile("rdgsbase %0" : "=r"(executions));
  __asm__ volatile("wrgsbase %0" : : "r"(executions + 1));
  if (executions >= 5) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    ++racy;
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  ++racy;
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
"""


class Unfaithful(harness.TestCase):
    def test_race_on_a_snapshot_only_is_none(self):
        """Not told of, nor are its places points: the search begins anew under fork, which would find it, too."""
        source, program = self.scratch.path("race.c"), self.scratch.path("race")
        with open(source, "w", encoding="utf-8") as file:
            file.write(RACE_ON_SNAPSHOTS_ONLY)
        harness.run([harness.program("heddle-cc"), "-g", "-pthread", source, "-o", program],
                    self.scratch.folder).require_status(OK)
        result, _ = self.scratch.run_heddle("-j1", "--isolation=snapshot", program)
        result.require_status(BUG)
        result, _ = self.scratch.run_heddle("-j1", program)
        result.require_status(OK)
        result.require_says("the search begins anew, because putting memory back is not enough")
        result.require("places that race" not in result.text, "its places are scheduling points")


if __name__ == "__main__":
    harness.main()

# Well-known mistakes are recognized, and their look-alikes are not (patterns.c has both).
import os

import harness
from harness import BUG, OPTIONS

# Case to the pattern's name and a part of its sentence; None: it looks like one and is another.
PLAIN = {
    "inversion": ("lock-order inversion", "one order everywhere"),
    "joins_under_lock": None,
    "twice": ("double lock", "holds it already"),
    "kept": ("lock left locked", "has ended and left lock locked"),
    "nested_wait": ("wait while holding a lock", "still holds other_lock"),
    "wrong_condition": ("missing signal", "no thread signals it"),
    "lost": ("lost wake-up", "without holding lock"),
    "early": ("signal before wait", "while nobody waits"),
    "wrong_waiter": ("wrong waiter woken", "which waits again"),
    "one_signal_for_two": None,
    "sections": ("atomicity violation", "locks it again"),
    "order": None,
    "freed_twice": ("double free", "frees or resizes it"),
    "unlocked_by_another": ("unlock by another thread", "unlocks it"),
    "unlocked_by_nobody": None,
    "starves": ("starvation", "never gets lock"),
    "both_back_off": None,
}
# Of accesses to memory, which are seen in programs that heddle-cc has built.
INSTRUMENTED = {
    "accesses": ("atomicity violation", "writes it"),
    "updates": None,
    "came_back": ("ABA", "out of date"),
    "changed_for_good": None,
    "freed_beside": ("use after free", "neither waits"),
    "not_joined": ("missing join", "has not joined"),
    "used_early": ("order violation", "had not come to that"),
    "cleared_early": None,
    "looked_before": None,
    "beats_beside": None,
    "half_locked": ("missing lock", "holds no lock"),
    "unlocked": None,
}


class Patterns(harness.TestCase):
    def look_at(self, compiler, cases):
        program = self.scratch.path("patterns")
        source = os.path.join(OPTIONS.source, "tests", "e2e", "patterns.c")
        harness.run([*compiler, "-g", "-pthread", source, "-o", program], self.scratch.folder).require_status(0)
        for case, expected in cases.items():
            with self.subTest(case=case):
                result, report = self.scratch.run_heddle("-j1", program, case)
                result.require_status(BUG)
                bug = report["bugs"][0]
                name, words = expected or (None, None)
                self.assertEqual(bug["pattern"], name, result.text)
                if name is None:
                    continue
                self.assertIn(words, bug["pattern_text"])
                result.require_says(f"{name}: {bug['pattern_text']}")
                page = self.scratch.heddle("show", "--width=500", bug["trace"])
                page.require_says(f"{name[0].upper()}{name[1:]}: {bug['pattern_text']}")

    def test_of_locks_and_signals(self):
        self.look_at(["gcc"], PLAIN)

    def test_of_memory(self):
        self.look_at([harness.program("heddle-cc")], INSTRUMENTED)


if __name__ == "__main__":
    harness.main()

# Rust programs: their own code is instrumented by rustc itself, their standard library is as it is shipped.
import os
import shutil
import unittest

import harness
from harness import BUG, OK, OPTIONS

# FIRST and SECOND: the order in which the second thread takes the locks.
LOCKS = """
use std::sync::{Arc, Mutex};
use std::thread;
fn main() {
  let a = Arc::new(Mutex::new(0));
  let b = Arc::new(Mutex::new(0));
  let (a1, b1, a2, b2) = (a.clone(), b.clone(), a.clone(), b.clone());
  let one = thread::spawn(move || { let (mut x, mut y) = (a1.lock().unwrap(), b1.lock().unwrap()); *x += 1; *y += 1; });
  let two = thread::spawn(move || {
    let mut x = FIRST.lock().unwrap();
    let mut y = SECOND.lock().unwrap();
    *x += 1;
    *y += 1;
  });
  one.join().unwrap();
  two.join().unwrap();
  assert_eq!(*a.lock().unwrap() + *b.lock().unwrap(), 4);
}
"""
COUNTER = """
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
static HITS: AtomicUsize = AtomicUsize::new(0);
fn hit() { ADD; }
fn main() {
  let threads: Vec<_> = (0..2).map(|_| thread::spawn(hit)).collect();
  for thread in threads { thread.join().unwrap(); }
  if HITS.load(Ordering::SeqCst) != 2 { std::process::exit(3); }
}
"""

TESTS = """
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
#[cfg(test)] mod queue {
  use super::*;
  fn both(hit: fn(&AtomicUsize)) {
    static HITS: AtomicUsize = AtomicUsize::new(0);
    let threads: Vec<_> = (0..2).map(|_| thread::spawn(move || hit(&HITS))).collect();
    for thread in threads { thread.join().unwrap(); }
    assert_eq!(HITS.load(Ordering::SeqCst), 2, "an update was lost");
  }
  #[test] fn loses() { both(|hits| hits.store(hits.load(Ordering::SeqCst) + 1, Ordering::SeqCst)); }
  #[test] fn keeps() { both(|hits| { hits.fetch_add(1, Ordering::SeqCst); }); }
  #[test] #[ignore] fn slow() {}
}
"""


@unittest.skipUnless(shutil.which("rustc"), "there is no rustc")
class Rust(harness.TestCase):
    def test_a_plain_build_says_what_is_missed(self):
        program = self.scratch.path("plain")
        with open(self.scratch.path("plain.rs"), "w", encoding="utf-8") as file:
            file.write(LOCKS.replace("FIRST", "b2").replace("SECOND", "a2"))
        command = ["rustc", "-g", "-O", self.scratch.path("plain.rs"), "-o", program]
        harness.run(command, self.scratch.folder).require_status(0)
        result, _ = self.scratch.run_heddle("--max-schedules=10", program)
        result.require_says("Rust compiles locks into the program, where they are not seen")
        result, report = self.scratch.run_heddle("--search=auto", "--patch=yes", "--max-schedules=2000", program)
        result.require_status(BUG)
        self.assertEqual([bug["kind"] for bug in report["bugs"]], ["deadlock"])
        self.assertNotIn("where they are not seen", result.text)
        self.scratch.heddle("doctor", program).require_says("locks of Rust are compiled into plain")

    def build(self, name, text, *options):
        source, program = self.scratch.path(name + ".rs"), self.scratch.path(name)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        linker = "-Clinker=" + os.path.join(OPTIONS.build, "heddle-cc")
        command = ["rustc", "--edition=2021", "-g", "-O", "-Cpasses=tsan-module", "-Cpasses=tsan", linker, *options]
        command += [source, "-o", program]
        harness.run(command, self.scratch.folder).require_status(0)
        return program

    # Locks of the standard library are compiled into the program, as far as nobody has to wait for them.
    def test_lock_order(self):
        program = self.build("locks", LOCKS.replace("FIRST", "b2").replace("SECOND", "a2"))
        for carrier in ("fiber", "thread"):
            result, report = self.scratch.run_heddle("--carrier=" + carrier, program)
            result.require_status(BUG)
            result.require_says("data races are not looked for: Rust's standard library",
                                "Mutex::lock to be woken, at locks.rs:")
            self.assertEqual([bug["kind"] for bug in report["bugs"]], ["deadlock"])
            self.scratch.heddle("replay", harness.trace_of(report, self.scratch)).require_status(BUG)
        program = self.build("locks_ok", LOCKS.replace("FIRST", "a2").replace("SECOND", "b2"))
        result, report = self.scratch.run_heddle("--search=bounded", "--max-preemptions=1", program)
        result.require_status(OK)
        self.assertEqual(report["bugs"], [])
        result.require_says("Not checked: data races.", "Proved: every schedule with at most 1 preemption")

    def test_lost_update(self):
        program = self.build("hits", COUNTER.replace(
            "ADD", "let old = HITS.load(Ordering::SeqCst); HITS.store(old + 1, Ordering::SeqCst)"))
        result, report = self.scratch.run_heddle(program)
        result.require_status(BUG)
        self.assertEqual([bug["kind"] for bug in report["bugs"]], ["exit"])
        page = self.scratch.heddle("show", harness.trace_of(report, self.scratch))
        page.require_says("hits::hit", "hits.rs:5")
        program = self.build("hits_ok", COUNTER.replace("ADD", "HITS.fetch_add(1, Ordering::SeqCst)"))
        result, _ = self.scratch.run_heddle("--search=bounded", program)
        result.require_status(OK)

    def test_each_test_of_libtest(self):
        program = self.build("tests", TESTS, "--test")
        result = self.scratch.heddle("test", "--time=4s", program)
        result.require_status(BUG)
        result.require_says("3 tests of libtest", "ok       queue::keeps", "bug      queue::loses",
                            "unknown  queue::slow   no libtest test was selected",
                            "left == right", "an update was lost")
        self.assertRegex(result.text, "panic: assertion .*, at .*tests.rs:10")


if __name__ == "__main__":
    harness.main()

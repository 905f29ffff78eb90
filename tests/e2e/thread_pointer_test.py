#!/usr/bin/env python3
# The ways in which the thread pointer follows the tasks (src/runtime/state/thread_pointer.h) may differ in speed only:
# by system calls; by the instruction, where the kernel does not keep what it loads; and the latter with values that are
# lost now and then, which this test causes.
import os

import harness

# Bugs and none, thread_local objects with destructors, ends in the middle, crashes, handlers of signals, checkpoints.
PROGRAMS = ("bank_account", "bank_account_fixed", "thread_local_order", "thread_local_too_late", "tls_destructor_locks",
            "classes_sections_3x2", "classes_queue_1_1", "treiber_3", "shared_mutex", "exit_in_thread",
            "exit_in_fault_handler", "exit_handler_race", "main_exits_first", "heap_double_free_large",
            "library_thread_local", "own_signal_handlers", "recovers_from_null", "sends_its_fault_again",
            "fault_handlers_at_once", "write_barrier", "test_framework", "signal_to_any_thread", "c11_threads")


class ThreadPointer(harness.TestCase):
    def explore(self, choice, program, *options):
        """The run, its log, its bugs, and how often the thread pointer had to be put back."""
        log = self.scratch.path("log")
        result, report = self.scratch.run_heddle(
            "-q", "-j1", "--keep-going", "--max-preemptions=2", "--max-schedules=2000", "--determinism-check=0",
            f"--execution-log={log}", *options, harness.program(f"corpus/{program}"),
            env=dict(os.environ, HEDDLE_THREAD_POINTERS=choice))
        result.require(report is not None, "no report")
        with open(log, encoding="utf-8") as file:
            return result, file.read(), [bug["message"] for bug in report["bugs"]], report["thread_pointer_faults"]

    def test_by_system_calls_a_line_says_why_it_is_slow(self):
        for choice, told in (("call", True), ("put-back", False)):
            result, report = self.scratch.run_heddle(harness.program("corpus/bank_account_fixed"),
                                                     env=dict(os.environ, HEDDLE_THREAD_POINTERS=choice))
            if choice == "put-back" and report["thread_pointer_faults"] == 0 and "FSGSBASE" in result.text:
                self.skipTest("this processor, or hypervisor, does not allow the instruction")
            result.require(("each switch between threads is a system call" in result.text) == told,
                           f"{choice}: is it told?")

    def test_follows_the_tasks_by_every_way(self):
        faults = 0
        for program in PROGRAMS:
            by_call, log, bugs, none = self.explore("call", program)
            self.assertEqual(none, 0)
            for choice, *options in (("put-back",), ("lost",), ("lost", "--checkpoints=always")):
                result, other_log, other_bugs, faulted = self.explore(choice, program, *options)
                faults += faulted if choice == "lost" else 0
                result.require(other_log == log, f"{choice} {options}: not the schedules as by system calls")
                result.require(result.status == by_call.status, f"{choice} {options}: status {by_call.status} by calls")
                result.require(other_bugs == bugs, f"{choice} {options}: not the bugs as by system calls: {bugs}")
        if faults == 0:
            self.skipTest("this processor, or hypervisor, does not allow the instruction")
        self.assertGreater(faults, 100)


if __name__ == "__main__":
    harness.main()

// Well-known mistakes, recognized by what an execution shows: a lost wake-up, locks taken in opposite orders. Each is
// one function in a file of this folder and one line of the table in patterns.cpp. What a sentence says happened in the
// execution; that it is the mistake, and not a part of it, is not proved.
//
// To add one: write the function, name it below, add its line to the table, and a program with a look-alike to
// tests/e2e/patterns_test.py.
#pragma once

#include <optional>
#include <string>

#include "analysis/names.h"
#include "analysis/outcome_kind.h"
#include "report/phrases.h"

namespace heddle {

struct PatternInput {
  OutcomeKind kind;
  const Execution& execution;
  Names& names;
  const Phrases& phrases;  // of the execution
};

struct Pattern {
  const char* name = "";  // "lock-order inversion"
  Prose text;             // one sentence or two, with both places
};

// The first of the table that fits; nothing: none does.
std::optional<Pattern> recognize_pattern(OutcomeKind kind, const Execution& execution, Names& names);

// The thread that uses memory which the thread that created it gives back, or had on its stack, without having joined
// it. The two accesses are the race that the bug is; nothing: it is another one.
std::optional<TaskId> thread_not_joined(OutcomeKind kind, const Execution& execution);

namespace patterns {

// "at queue.cpp:12 (step 7)".
Prose at_step(const PatternInput& input, std::size_t step);

// Of --memory=tso and rc11.
Prose old_value_read(const PatternInput& input);

// All take an execution that shows a bug of this kind. Empty: it does not fit.
Prose double_free(const PatternInput& input);
Prose missing_join(const PatternInput& input);
Prose use_after_free(const PatternInput& input);
Prose double_lock(const PatternInput& input);
Prose lock_order_inversion(const PatternInput& input);
Prose lock_left_locked(const PatternInput& input);
Prose wait_holding_a_lock(const PatternInput& input);
Prose lost_wakeup(const PatternInput& input);
Prose signal_before_wait(const PatternInput& input);
Prose wrong_waiter_woken(const PatternInput& input);
Prose never_signalled(const PatternInput& input);
Prose aba(const PatternInput& input);
Prose atomicity_violation(const PatternInput& input);
Prose unlock_by_another(const PatternInput& input);
Prose missing_lock(const PatternInput& input);
Prose used_before_set(const PatternInput& input);
Prose starvation(const PatternInput& input);

}  // namespace patterns

}  // namespace heddle

// What a failing program said of its failure: the known wordings of the C and C++ libraries and of sanitizers, found in
// its output; those of test frameworks are in test_frameworks.h. One function per family; to add a wording, add it to
// the family's function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/outcome_kind.h"

namespace heddle {

struct Printed {
  OutcomeKind kind = OutcomeKind::Ok;
  std::string message;
  std::string identity;    // what makes it the same failure next time: a place in the source, or the wording
  std::string place = {};  // in the source, where a test framework tells one: "queue.cpp:9"
};

// "terminate called after throwing …" (libstdc++, libc++abi).
std::optional<Printed> printed_exception(std::string_view output);
// Python's "Traceback (most recent call last):", the last one: the exception, and where it was raised.
std::optional<Printed> printed_traceback(std::string_view output);
// Rust's "thread 'main' panicked at file:line:column:", the first one: what it says, and where.
std::optional<Printed> printed_panic(std::string_view output);
// glibc's checks of heap and stack: "free(): invalid pointer", "*** stack smashing detected ***".
std::optional<Printed> printed_corruption(std::string_view output);
// "ERROR: AddressSanitizer: …", UndefinedBehaviorSanitizer's "runtime error: …".
std::optional<Printed> printed_sanitizer(std::string_view output);
// assert() as glibc writes it: "prog: file:line: function: Assertion `x' failed."
std::optional<Printed> printed_assertion(std::string_view output);

// The last line that is not empty, without colours; at most 300 bytes.
std::string last_line(std::string_view output);

}  // namespace heddle

// The kinds of what comes of an execution, and which of them are bugs.
#pragma once

#include <string_view>

namespace heddle {

enum class OutcomeKind {
  Ok,
  Assertion,  // failed assertion, abort with its message, a failure quoted from GoogleTest or Catch2
  Crash,      // fatal signal
  Exception,  // uncaught C++ exception
  Exit,       // exit status that is not in --ok-exit
  Deadlock,
  Livelock,       // the threads go round for ever
  GoodSamaritan,  // a thread that never yields does the same, while others that could go on wait
  Misuse,
  Race,          // two accesses that nothing orders; the execution may have ended well
  UseAfterFree,  // an access to memory that was given back before, in whatever order; the same
  Diverged,      // the plan could not be followed: no bug, lost coverage
  NoVerdict,     // ended by the time-out, at the step limit, or from outside: no bug, lost coverage
};
const char* name(OutcomeKind kind);  // as in JSON: "assertion", "crash" …
bool is_bug(OutcomeKind kind);
// Is it told by two accesses (Execution::races), whatever the execution came to?
bool is_of_accesses(OutcomeKind kind);
bool is_of_accesses(std::string_view name_of_kind);

}  // namespace heddle

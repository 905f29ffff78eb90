// See outcome_kind.h.
#include "analysis/outcome_kind.h"

namespace heddle {

const char* name(OutcomeKind kind) {
  static constexpr const char* kNames[] = {"ok",        "assertion", "crash",          "exception",
                                           "exit",      "deadlock",  "livelock",       "good samaritan violation",
                                           "misuse",    "data race", "use after free", "diverged",
                                           "no verdict"};
  return kNames[static_cast<unsigned>(kind)];
}

bool is_bug(OutcomeKind kind) {
  return kind != OutcomeKind::Ok && kind != OutcomeKind::Diverged && kind != OutcomeKind::NoVerdict;
}

bool is_of_accesses(OutcomeKind kind) { return kind == OutcomeKind::Race || kind == OutcomeKind::UseAfterFree; }

bool is_of_accesses(std::string_view name_of_kind) {
  return name_of_kind == name(OutcomeKind::Race) || name_of_kind == name(OutcomeKind::UseAfterFree);
}

}  // namespace heddle

// What a run has proved, what it did not check and what it assumes: and never more than that.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace heddle {

// The last lines of `heddle run`. Each begins with a fixed word and is true by itself:
//   Proved:       the bound and the count; or Nothing was proved: and what did run
//   Weaker:       which memory orders could be weaker (--relax)
//   Includes:     choices that were tried and that may surprise
//   Not checked:  what was left out, with the option that adds it
//   Assumes:      what must hold for the proof, with the option that does without
//   Next:         the one thing that would help most
// With no verdict there is one line, which says why.
struct Claim {
  std::string line;
  std::string meaning;  // the same at length: reasons, conditions, and what would change it (claim_meanings.h)
};
std::vector<Claim> claims(const Report& report);

// Why the search came to its end: "the time was up".
std::string why_stopped(const Report& report);

// What the verdict rests on, one line each as above, for JSON.
std::vector<std::string> assumptions_of(const Report& report);

// Between what the search interleaved, as JSON's "points" and the claims say it.
inline constexpr const char* kPoints = "library synchronization";  // of a program that is not instrumented
std::string points_of(const Report& report);

}  // namespace heddle

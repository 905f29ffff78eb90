// The last sentence of a run: what was proved, under which assumptions, and never more than that.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace heddle {

// The last sentence of `heddle run`.
std::string last_sentence(const Report& report);

// Why the search came to its end: "the time was up".
std::string why_stopped(const Report& report);

// What the verdict rests on, one sentence each, for JSON and for whoever asks.
std::vector<std::string> assumptions_of(const Report& report);

// Between what the search interleaved, as JSON's "points" and the sentence say it.
inline constexpr const char* kPoints = "library synchronization";  // of a program that is not instrumented
std::string points_of(const Report& report);

}  // namespace heddle

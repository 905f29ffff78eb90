// Where a bug shows, as the text of the source line. It tells two bugs of a rebuilt program apart when both are
// reported in the same words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "trace/trace_file.h"

namespace heddle::cli {

// The two accesses of a race, the waits of a deadlock, else where the task was that failed; sorted. Empty: not known.
std::vector<SourceLine> places_of(const Outcome& outcome, const Execution& execution, Names& names);

// In the same functions, at lines of the same text? What is not known differs from nothing.
bool same_places(const std::vector<SourceLine>& one, const std::vector<SourceLine>& other);

// At lines of the same text, whatever their functions are called? Not, where a text is not known.
bool same_texts(const std::vector<SourceLine>& one, const std::vector<SourceLine>& other);

// "waitStarted (start.cpp:10: started.wait(lock);), …"
std::string words_of(const std::vector<SourceLine>& places);

// Are these messages about the same, whatever values they name? Of a check that a test framework has printed, the place
// is not known, and values differ with the schedule.
bool same_but_for_values(const std::string& one, const std::string& other);

// A bug's message without what moves with the source: lines ("src/queue.cpp:33" becomes "queue.cpp") and addresses.
std::string without_places(std::string_view text);

}  // namespace heddle::cli

// Plain words on a misuse of the heap: which block it was, who allocated it where, and who had freed it before.
#pragma once

#include <string>

#include "analysis/names.h"

namespace heddle {

// "; backward had freed it before, at queue.c:12": to go on behind a sentence on the misuse. Empty where nothing of the
// kind is known.
std::string freed_before(const Execution& execution, Names& names);
// Sentences, each on a line of its own with its call stack below; a line end comes first. May be empty.
std::string about_heap_fault(const Execution& execution, Names& names);

}  // namespace heddle

// Plain words on a misuse of the heap: which block it was, who allocated it where, and who had freed it before.
#pragma once

#include <string>

#include "analysis/names.h"
#include "report/document.h"

namespace heddle {

// "; backward had freed it before, at queue.c:12": to go on behind a sentence on the misuse. Empty where nothing of the
// kind is known.
std::string freed_before(const Execution& execution, Names& names);
// Adds sentences, each with its call stack; may be none.
void add_heap_fault(Paragraph& paragraph, const Execution& execution, Names& names);
// "; main freed it at queue.cpp:9" of an object that was used after its memory was freed, and the same at length: only
// the block's last life is of interest.
std::string freed_at(const Execution& execution, Names& names);
void add_last_life(Paragraph& paragraph, const Execution& execution, Names& names);

}  // namespace heddle

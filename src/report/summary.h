// What `heddle run` prints when it is done: the bugs, one block each, and what was proved. Notes are printed earlier,
// as they arise.
#pragma once

#include <optional>
#include <string>

#include "report/report.h"
#include "report/wording.h"

namespace heddle {

// One bug: what happened, where, how to see and repeat it. `baseline`: the file that knows it, if one does.
std::string bug_block(const Bug& bug, const Style& style, const std::string& baseline = {});

// A line of what was proved, and below it what it means in lines of at most `width` columns; empty: nothing below it.
std::string claim_block(const std::string& line, const std::string& meaning, const Style& style, std::size_t width);

// The whole text, bug blocks included. `brief`: of what was proved, one line. `explain_in`: each such line is
// explained, in so many columns.
std::string summary(const Report& report, const Style& style, bool brief = false,
                    std::optional<std::size_t> explain_in = {});

}  // namespace heddle

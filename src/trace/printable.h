// Text of a program or a trace, made safe to show: characters that a terminal would obey are escaped, so that no name,
// message or output can move the cursor, hide a line or give the terminal a command.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// Lines and tabs stay. `\x1b`, `\u202e` stand for control characters, also those of C1 and of the direction of text.
// With `keep_colors`, our own marks (report/wording.h) stay.
std::string printable(std::string_view text, bool keep_colors = false);

}  // namespace heddle

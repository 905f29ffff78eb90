// Text in columns of fixed width, for terminals: wraps at words, knows that UTF-8 characters take several bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// Characters as shown.
std::size_t shown_width(std::string_view text);
// At most `width` characters, the last being "…" when something was cut off.
std::string cut(std::string_view text, std::size_t width);
// The same of a thread's name, keeping the number that tells it from its like: "Account.with… 2".
std::string cut_name(std::string_view name, std::size_t width);
// The same, keeping the end: "…_deadlock.cpp:26".
std::string cut_front(std::string_view text, std::size_t width);
std::string padded(std::string_view text, std::size_t width);
// Lines of at most `width` characters, broken at spaces where possible; following lines are indented by `indent`.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);
// The same as one text with line ends, the first line included in the indentation by `first`.
std::string paragraph(std::string_view text, std::size_t width, std::string_view first = "",
                      std::string_view rest = "");

}  // namespace heddle

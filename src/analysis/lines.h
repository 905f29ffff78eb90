// What the readers of a program's output share: its lines without colours, and pieces of them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);
bool contains(std::string_view text, std::string_view part);
std::string_view trimmed(std::string_view text);

std::vector<std::string_view> lines_of(std::string_view text);
// The line that holds `part`, from there on; empty when there is none.
std::string_view line_from(std::string_view output, std::string_view part);
// The lines from `first` to before `last` as a quotation, which is bounded: 14 lines, 1500 bytes.
std::string quoted(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last);

// Without the escape sequences that colour a terminal's text.
std::string without_colors(std::string_view text);

}  // namespace heddle

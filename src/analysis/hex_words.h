// Reads texts that the runtime has recorded: words separated by spaces, most of them hexadecimal numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/module_names.h"

namespace heddle {

// The words of a text, taken from its front; empty after the last one.
inline std::string_view take_word(std::string_view& text) {
  const auto space = text.find(' ');
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  return word;
}

// Nothing where the next word is no number.
inline std::optional<std::uint64_t> take_number(std::string_view& text) {
  return parse_hex("0x" + std::string(take_word(text)));
}

}  // namespace heddle

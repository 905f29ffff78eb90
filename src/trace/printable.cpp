// See printable.h.
#include "trace/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

constexpr std::string_view kColors[] = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[32m", "\x1b[1;33m"};

std::size_t size_of_color(std::string_view text) {
  const auto* const found =
      std::find_if(std::begin(kColors), std::end(kColors), [&](std::string_view one) { return text.starts_with(one); });
  return found == std::end(kColors) ? 0 : found->size();
}

// The character that a sequence of two or three bytes of UTF-8 stands for; 0: there is none.
unsigned character_at(std::string_view text, std::size_t& size) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  size = (byte(0) & 0xe0u) == 0xc0u ? 2 : 3;
  if (size == 2 && follows(1)) return (byte(0) & 0x1fu) << 6 | (byte(1) & 0x3fu);
  if ((byte(0) & 0xf0u) != 0xe0u || !follows(1) || !follows(2)) return 0;
  return (byte(0) & 0x0fu) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
}

// C1, line and paragraph separators, and what turns the direction of text around.
bool is_obeyed(unsigned character) {
  return (character >= 0x80 && character < 0xa0) || character == 0x200e || character == 0x200f ||
         (character >= 0x2028 && character <= 0x202e) || (character >= 0x2066 && character <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, bool keep_colors) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    std::size_t size = 1;
    if (byte >= 0xc0) {
      const unsigned character = character_at(text, size);
      if (character == 0) size = 1;
      result += is_obeyed(character) ? fmt::format("\\u{:04x}", character) : std::string(text.substr(0, size));
    } else if (const std::size_t color = keep_colors && byte == 0x1b ? size_of_color(text) : 0; color != 0) {
      size = color;
      result += text.substr(0, size);
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += text[0];
    }
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace heddle

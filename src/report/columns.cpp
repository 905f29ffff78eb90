// Fitting text into columns; see columns.h.
#include "report/columns.h"

#include <algorithm>

namespace heddle {
namespace {

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Bytes that the first `width` characters take.
std::size_t bytes_of(std::string_view text, std::size_t width) {
  std::size_t characters = 0, i = 0;
  for (; i < text.size(); ++i)
    if (!continues_character(text[i]) && characters++ == width) break;
  return i;
}

// Where to break: behind the last space that fits, or in the middle of a word that is too long.
std::size_t break_at(std::string_view text, std::size_t width) {
  const std::size_t fits = bytes_of(text, width);
  if (fits == text.size()) return fits;
  const auto space = text.rfind(' ', fits);
  return space == std::string_view::npos || space == 0 ? std::max<std::size_t>(fits, 1) : space;
}

}  // namespace

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues_character(byte); }));
}

std::string cut(std::string_view text, std::size_t width) {
  if (shown_width(text) <= width) return std::string(text);
  return std::string(text.substr(0, bytes_of(text, width == 0 ? 0 : width - 1))) + "…";
}

std::string cut_name(std::string_view name, std::size_t width) {
  if (shown_width(name) <= width) return std::string(name);
  // The end tells it apart: "worker 12", "lambda at pool.cpp:41", "lambda at pool.cpp:41 #2".
  const auto last = name.find_last_not_of("0123456789 #:");
  const bool numbered =
      last != std::string_view::npos && last + 1 < name.size() && (name[last + 1] == ' ' || name[last + 1] == ':');
  const std::string_view tail = numbered ? name.substr(last + 1) : std::string_view();
  if (tail.size() >= width) return cut(name, width);
  return cut(name.substr(0, name.size() - tail.size()), width - tail.size()) + std::string(tail);
}

std::string cut_front(std::string_view text, std::size_t width) {
  const std::size_t taken = shown_width(text);
  if (taken <= width) return std::string(text);
  return "…" + std::string(text.substr(bytes_of(text, taken - (width == 0 ? 0 : width - 1))));
}

std::string padded(std::string_view text, std::size_t width) {
  const std::size_t taken = shown_width(text);
  return std::string(text) + std::string(taken < width ? width - taken : 0, ' ');
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t indentation = lines.empty() ? 0 : std::min(indent, width / 2);
    const std::size_t end = break_at(text, width - indentation);
    lines.push_back(std::string(indentation, ' ') + std::string(text.substr(0, end)));
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return lines;
}

std::string paragraph(std::string_view text, std::size_t width, std::string_view first, std::string_view rest) {
  std::string result;
  const std::size_t room = width - std::min(width / 2, std::max(shown_width(first), shown_width(rest)));
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto lines = wrapped(text.substr(0, end), room);
    if (lines.empty()) lines.emplace_back();
    for (const std::string& line : lines) result += std::string(result.empty() ? first : rest) + line + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

}  // namespace heddle

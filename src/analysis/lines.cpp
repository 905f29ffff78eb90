// Lines and pieces of a program's output; see lines.h.
#include "analysis/lines.h"

#include <algorithm>

namespace heddle {
namespace {

constexpr std::size_t kMaxQuoteBytes = 1500;
constexpr unsigned kMaxQuoteLines = 14;

}  // namespace

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto newline = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, newline));
    text.remove_prefix(std::min(newline + 1, text.size()));
  }
  return lines;
}

std::string_view line_from(std::string_view output, std::string_view part) {
  const auto at = output.find(part);
  if (at == std::string_view::npos) return {};
  return trimmed(output.substr(at, output.find('\n', at) - at));
}

std::string quoted(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last) {
  std::string result;
  for (std::size_t i = first; i < last && i - first < kMaxQuoteLines && result.size() < kMaxQuoteBytes; ++i) {
    if (!result.empty()) result += '\n';
    result += lines[i];
  }
  return std::string(trimmed(std::string_view(result).substr(0, kMaxQuoteBytes)));
}

std::string without_colors(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      const auto end = text.find_first_not_of("0123456789;", i + 2);
      i = end == std::string_view::npos ? text.size() : end;
      continue;
    }
    result += text[i];
  }
  return result;
}

}  // namespace heddle

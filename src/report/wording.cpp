// Numbers, plurals and colours; see wording.h.
#include "report/wording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heddle {

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string counted(std::uint64_t number, std::string_view thing) {
  return fmt::format("{} {}{}", grouped(number), thing, number == 1 ? "" : "s");
}

std::string rounded(std::uint64_t number) {
  std::uint64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return grouped((number + unit / 2) / unit * unit);
}

std::string duration(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  constexpr double kHour = 3600, kDay = 24 * kHour, kYear = 365 * kDay;
  if (seconds >= 2 * kYear) return fmt::format("{:.0f} years", std::min(seconds / kYear, 1e9));
  if (seconds >= 2 * kDay) return fmt::format("{:.0f} days", seconds / kDay);
  if (seconds >= 3 * kHour) return fmt::format("{:.0f} hours", seconds / kHour);
  const auto whole = static_cast<std::uint64_t>(seconds);
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string indented(std::string_view text, std::string_view indent) {
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    if (!result.empty()) result += '\n';
    result += indent;
    result += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string capitalized(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string shell_quoted(const std::string& word) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) {
    if (c == '\'')
      result += "'\\''";
    else
      result += c;
  }
  return result + "'";
}

std::string Style::marked(const char* code, std::string_view text) const {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace heddle

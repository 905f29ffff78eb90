// Texts to values; see values.h.
#include "cli/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace heddle::cli {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};

constexpr Unit kUnits[] = {{"ms", 0.001}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}, {"", 1}};

}  // namespace

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::optional<double> parse_seconds(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return {};
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& unit : kUnits)
    if (unit.name == rest) return value * unit.seconds;
  return {};
}

std::string format_seconds(double seconds) {
  return seconds < 1 ? fmt::format("{:g}ms", seconds * 1000) : fmt::format("{:g}s", seconds);
}

namespace {
constexpr std::string_view kByteUnits = "KMGT";
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  unsigned shift = 0;
  if (const auto unit = text.empty() ? std::string_view::npos : kByteUnits.find(text.back());
      unit != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(unit) + 1);
    text.remove_suffix(1);
  }
  const auto number = parse_number(text);
  if (!number || *number > UINT64_MAX >> shift) return {};
  return *number << shift;
}

std::string format_bytes(std::uint64_t bytes) {
  std::string unit;
  for (const char name : kByteUnits) {
    if (bytes == 0 || bytes % 1024 != 0) break;
    bytes /= 1024;
    unit = name;
  }
  return std::to_string(bytes) + unit;
}

std::optional<std::vector<int>> parse_statuses(std::string_view text) {
  std::vector<int> result;
  while (true) {
    const auto comma = text.find(',');
    const auto number = parse_number(text.substr(0, comma));
    if (!number || *number > 255) return {};
    result.push_back(static_cast<int>(*number));
    if (comma == std::string_view::npos) return result;
    text.remove_prefix(comma + 1);
  }
}

std::string format_statuses(const std::vector<int>& statuses) { return fmt::format("{}", fmt::join(statuses, ",")); }

}  // namespace heddle::cli

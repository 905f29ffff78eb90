// Texts to values and back for the option table: numbers in ranges, times with units, words, lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle::cli {

// Whole numbers only, nothing behind them.
std::optional<std::uint64_t> parse_number(std::string_view text);
// "60s", "5m", "1.5h", "500ms"; a number alone is seconds.
std::optional<double> parse_seconds(std::string_view text);
std::string format_seconds(double seconds);
// "500M", "4G", "100K", bytes without a unit; powers of 1024.
std::optional<std::uint64_t> parse_bytes(std::string_view text);
std::string format_bytes(std::uint64_t bytes);
// "1,3,77": exit statuses, 0 to 255.
std::optional<std::vector<int>> parse_statuses(std::string_view text);
std::string format_statuses(const std::vector<int>& statuses);

}  // namespace heddle::cli

// Reads failures out of a program's output; see printed.h.
#include "analysis/printed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace heddle {
namespace {

constexpr std::size_t kMaxQuoteBytes = 1500;
constexpr std::size_t kMaxLineBytes = 300;
constexpr unsigned kMaxQuoteLines = 14;
constexpr std::string_view kRun = "[ RUN      ] ";

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

// The line that holds `part`, from there on; empty when there is none.
std::string_view line_from(std::string_view output, std::string_view part) {
  const auto at = output.find(part);
  if (at == std::string_view::npos) return {};
  return trimmed(output.substr(at, output.find('\n', at) - at));
}

std::string_view between(std::string_view text, char open, char close) {
  const auto first = text.find(open), last = text.rfind(close);
  return first == std::string_view::npos || last <= first ? std::string_view{}
                                                          : text.substr(first + 1, last - first - 1);
}

Printed exception(std::string_view type, std::string_view what) {
  Printed result{OutcomeKind::Exception, fmt::format("uncaught exception of type {}", type), std::string(type)};
  if (!what.empty()) result.message += fmt::format(": {}", what);
  return result;
}

// terminate called after throwing an instance of 'T'\n  what():  W   (libstdc++)
std::optional<Printed> gnu_exception(std::string_view output) {
  const std::string_view line = line_from(output, "terminate called after throwing an instance of '");
  if (line.empty()) return {};
  const std::string_view what = line_from(output.substr(output.find(line)), "what():");
  return exception(between(line, '\'', '\''), what.empty() ? what : trimmed(what.substr(7)));
}

// libc++abi: terminating with uncaught exception of type T: W   (LLVM 14; later versions say "terminating due to")
std::optional<Printed> llvm_exception(std::string_view output) {
  std::string_view line = line_from(output, "uncaught exception of type ");
  if (line.empty() || !contains(output, "libc++abi")) return {};
  line.remove_prefix(std::string_view("uncaught exception of type ").size());
  const auto colon = line.find(": ");
  if (colon == std::string_view::npos) return exception(line, {});
  return exception(line.substr(0, colon), line.substr(colon + 2));
}

std::optional<Printed> terminate_without_exception(std::string_view output) {
  const bool gnu = contains(output, "terminate called without an active exception");
  const bool llvm = contains(output, "libc++abi: terminating") && !contains(output, "uncaught exception");
  if (!gnu && !llvm && !contains(output, "terminate called recursively")) return {};
  return Printed{OutcomeKind::Exception,
                 "std::terminate was called without an active exception (a joinable std::thread was destroyed, for "
                 "instance, or a thread that ends by pthread_cancel() or pthread_exit() met a noexcept function)",
                 "terminate"};
}

// libstdc++ calls std::terminate() then.
std::optional<Printed> pure_virtual_call(std::string_view output) {
  const bool gnu = contains(output, "pure virtual method called");
  if (!gnu && !contains(output, "Pure virtual function called!")) return {};
  return Printed{OutcomeKind::Crash,
                 "a pure virtual function was called: of an object under construction or destruction", "pure virtual"};
}

// "path:12: Failure" as GoogleTest heads a failure.
bool heads_google_failure(std::string_view line) { return ends_with(line, ": Failure"); }

// A line of GoogleTest's own, which ends a failure's text.
bool google_mark(std::string_view line) {
  return starts_with(line, "[  ") || starts_with(line, "[--") || starts_with(line, "[==") || starts_with(line, "[ R");
}

std::string joined(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last) {
  std::string result;
  for (std::size_t i = first; i < last && i - first < kMaxQuoteLines && result.size() < kMaxQuoteBytes; ++i) {
    if (!result.empty()) result += '\n';
    result += lines[i];
  }
  return std::string(trimmed(result));
}

// The test that was running before the line with this number; empty when none was.
std::string_view test_running_at(const std::vector<std::string_view>& lines, std::size_t before) {
  while (before-- > 0) {
    if (starts_with(lines[before], "[       OK ] ") || starts_with(lines[before], "[  FAILED  ] ") ||
        starts_with(lines[before], "[  SKIPPED ] "))
      return {};
    if (starts_with(lines[before], kRun)) return trimmed(lines[before].substr(kRun.size()));
  }
  return {};
}

std::optional<Printed> google_failure(const std::vector<std::string_view>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!heads_google_failure(lines[i])) continue;
    std::size_t last = i + 1;
    while (last < lines.size() && !trimmed(lines[last]).empty() && !google_mark(lines[last]) &&
           !heads_google_failure(lines[last]))
      ++last;
    // What was thrown has no place in the source.
    const bool placeless = starts_with(lines[i], "unknown file");
    return Printed{OutcomeKind::Assertion, joined(lines, i, last),
                   placeless ? fmt::format("{} in {}", lines[i], test_running_at(lines, i)) : std::string(lines[i])};
  }
  for (const std::string_view line : lines)
    if (starts_with(line, "[  FAILED  ] "))
      return Printed{OutcomeKind::Assertion, std::string(line), std::string(line)};
  return {};
}

bool ruled(std::string_view line, char character) {
  return line.size() >= 60 && line.find_first_not_of(character) == std::string_view::npos;
}

// Catch2 (v2 and v3): "path:12: FAILED:" then the expression, until an empty line and a rule or the next failure.
std::optional<Printed> catch_failure(const std::vector<std::string_view>& lines) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!ends_with(trimmed(lines[i]), ": FAILED:")) continue;
    std::size_t last = i + 1;
    while (last < lines.size() && !ruled(lines[last], '=') && !ruled(lines[last], '-') &&
           !ends_with(trimmed(lines[last]), ": FAILED:"))
      ++last;
    return Printed{OutcomeKind::Assertion, joined(lines, i, last), std::string(lines[i])};
  }
  return {};
}

// What `error` says without registers, which differ from thread to thread, and the place, which is in the summary:
// "SUMMARY: AddressSanitizer: SEGV queue.cpp:5 in pop()".
Printed address_sanitizer(std::string_view error, std::string_view summary) {
  constexpr std::string_view kSummary = "SUMMARY: ";
  std::string message(error.substr(0, std::min(error.find(" bp "), error.find(" (pc "))));
  std::string identity(error.substr(0, error.find(" on address")));
  const auto kind_at = summary.find("Sanitizer: ");
  if (kind_at != std::string_view::npos) {
    const std::string_view rest = summary.substr(kind_at + std::string_view("Sanitizer: ").size());
    const auto space = rest.find(' ');
    // A count of leaks has no place.
    if (space != std::string_view::npos && contains(error, rest.substr(0, space))) {
      identity = summary.substr(std::min(kSummary.size(), summary.size()));
      message += ", at " + std::string(rest.substr(space + 1));
    }
  }
  message.resize(std::min(message.size(), kMaxLineBytes));
  return {OutcomeKind::Crash, std::move(message), std::move(identity)};
}

}  // namespace

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

std::string last_line(std::string_view output) {
  output = trimmed(output);
  const auto newline = output.rfind('\n');
  const auto line = trimmed(newline == std::string_view::npos ? output : output.substr(newline + 1));
  return without_colors(line.substr(0, kMaxLineBytes));
}

std::optional<Printed> printed_exception(std::string_view output) {
  if (auto found = gnu_exception(output)) return found;
  if (auto found = llvm_exception(output)) return found;
  if (auto found = pure_virtual_call(output)) return found;
  return terminate_without_exception(output);
}

std::optional<Printed> printed_corruption(std::string_view output) {
  static constexpr std::string_view kWordings[] = {"*** stack smashing detected ***",
                                                   "*** buffer overflow detected ***",
                                                   "double free or corruption",
                                                   "free(): ",
                                                   "malloc(): ",
                                                   "malloc_consolidate(): ",
                                                   "realloc(): ",
                                                   "munmap_chunk(): ",
                                                   "corrupted size vs. prev_size",
                                                   "corrupted double-linked list",
                                                   "calloc(): "};
  for (const std::string_view wording : kWordings) {
    const std::string_view line = line_from(output, wording);
    if (!line.empty())
      return Printed{OutcomeKind::Crash, std::string(line.substr(0, kMaxLineBytes)), std::string(line)};
  }
  return {};
}

std::optional<Printed> printed_sanitizer(std::string_view output) {
  const std::string_view line = line_from(output, "Sanitizer: ");
  if (!line.empty() && contains(output, "==ERROR: ")) {
    const std::string_view all = line_from(output, "ERROR: ").substr(7);
    return address_sanitizer(all, line_from(output, "SUMMARY: "));
  }
  const auto at = output.find(": runtime error: ");
  if (at == std::string_view::npos) return {};
  const auto newline = output.rfind('\n', at);
  const auto start = newline == std::string_view::npos ? 0 : newline + 1;
  const auto whole = trimmed(output.substr(start, output.find('\n', at) - start));
  return Printed{OutcomeKind::Crash, std::string(whole.substr(0, kMaxLineBytes)), std::string(whole)};
}

std::optional<Printed> printed_assertion(std::string_view output) {
  for (const std::string_view line : lines_of(output)) {
    const bool glibc = contains(line, ": Assertion `") && contains(line, "' failed.");
    const bool gnu_cxx = contains(line, ": Assertion '") && contains(line, "' failed.");
    if (!glibc && !gnu_cxx) continue;
    // glibc begins with the program's name, which tells nothing; libstdc++'s own checks begin with the file.
    const auto first = glibc ? line.find(": ") : std::string_view::npos;
    const auto message = first == std::string_view::npos ? line : line.substr(first + 2);
    return Printed{OutcomeKind::Assertion, std::string(trimmed(message)), std::string(message)};
  }
  return {};
}

std::optional<Printed> printed_test_failure(std::string_view output) {
  const std::string plain = without_colors(output);
  const auto lines = lines_of(plain);
  if (contains(plain, "[  FAILED  ]") || contains(plain, "[ RUN      ]"))
    if (auto found = google_failure(lines)) return found;
  return catch_failure(lines);
}

std::optional<unsigned> google_tests_selected(std::string_view output) {
  const std::string plain = without_colors(output);
  const std::string_view line = line_from(plain, "[==========] Running ");
  if (line.empty()) return {};
  const std::string_view number = line.substr(std::string_view("[==========] Running ").size());
  unsigned count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (error != std::errc{} ||
      !starts_with(std::string_view(end, static_cast<std::size_t>(number.end() - end)), " test"))
    return {};
  return count;
}

std::string failed_google_test(std::string_view output) {
  if (google_tests_selected(output).value_or(0) < 2) return {};
  const std::string plain = without_colors(output);
  const auto lines = lines_of(plain);
  std::size_t at = 0;
  while (at < lines.size() && !heads_google_failure(lines[at])) ++at;
  return std::string(test_running_at(lines, at));
}

}  // namespace heddle

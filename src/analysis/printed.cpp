// Reads failures out of a program's output; see printed.h.
#include "analysis/printed.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/lines.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxLineBytes = 300;

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

// The runtime's heap forgets a large block that was given back to the kernel, which is not done on snapshots: the same
// misuse is a second free there, and a free of what may be no block elsewhere.
std::string corruption_identity(std::string_view line) {
  for (const std::string_view wording : {"(): double free detected (of a large block)", "(): invalid pointer (a large"})
    if (const auto at = line.find(wording); at != std::string_view::npos)
      return std::string(line.substr(0, at)) + "(): a large block";
  return std::string(line);
}

}  // namespace

std::string last_line(std::string_view output) {
  const std::string plain = without_colors(output);  // first: the last line may consist of nothing else
  const std::string_view text = trimmed(plain);
  const auto newline = text.rfind('\n');
  const auto line = trimmed(newline == std::string_view::npos ? text : text.substr(newline + 1));
  return std::string(line.substr(0, kMaxLineBytes));
}

std::optional<Printed> printed_exception(std::string_view output) {
  if (auto found = gnu_exception(output)) return found;
  if (auto found = llvm_exception(output)) return found;
  if (auto found = pure_virtual_call(output)) return found;
  return terminate_without_exception(output);
}

// Traceback (most recent call last):\n  File "F", line N, in f\n    code\nType: what
// Between two tracebacks of one failure stands what became of the first.
std::optional<Printed> printed_traceback(std::string_view output) {
  const auto begin = output.rfind("Traceback (most recent call last):\n");
  if (begin == std::string_view::npos) return {};
  std::string file, number;
  for (const std::string_view line : lines_of(output.substr(output.find('\n', begin) + 1))) {
    constexpr std::string_view kPlace = "  File \"", kLine = "\", line ";
    if (const auto at = line.find(kLine); line.starts_with(kPlace) && at != std::string_view::npos) {
      file = file_name(line.substr(kPlace.size(), at - kPlace.size()));
      const std::string_view rest = line.substr(at + kLine.size());
      number = rest.substr(0, rest.find_first_not_of("0123456789"));
    }
    if (line.empty() || line.front() == ' ') continue;
    const auto colon = line.find(": ");
    Printed result = exception(line.substr(0, colon), colon == std::string_view::npos ? "" : line.substr(colon + 2));
    result.message.resize(std::min(result.message.size(), kMaxLineBytes));
    if (!file.empty()) {
      result.place = fmt::format("{}:{}", file, number);
      result.message += ", raised at " + result.place;
    }
    result.identity += " at " + result.place;
    return result;
  }
  return {};
}

namespace {

struct Panic {
  std::string_view what;   // one line, or several of which the further ones are indented
  std::string_view place;  // "file:line:column"
};

// `text` stands behind "panicked at ". Newer versions write "file:line:column:" and what was said below, older ones
// "'what', file:line:column".
Panic panic_in(std::string_view text) {
  const auto first_line = [](std::string_view rest) { return rest.substr(0, rest.find('\n')); };
  if (const auto end = text.find("', "); text.starts_with("'") && end != std::string_view::npos)
    return {text.substr(1, end - 1), first_line(text.substr(end + 3))};
  Panic panic{{}, first_line(text)};
  text.remove_prefix(std::min(panic.place.size() + 1, text.size()));
  if (panic.place.ends_with(':')) panic.place.remove_suffix(1);
  // Of an assertion of two values: "  left: 1\n right: 2".
  std::size_t end = first_line(text).size();
  while (text.substr(end).starts_with("\n  left: ") || text.substr(end).starts_with("\n right: "))
    end += 1 + first_line(text.substr(end + 1)).size();
  panic.what = text.substr(0, end);
  return panic;
}

}  // namespace

std::optional<Printed> printed_panic(std::string_view output) {
  constexpr std::string_view kThread = "thread '", kPanicked = " panicked at ";
  for (const std::string_view line : lines_of(output)) {
    const auto at = line.find(kPanicked);
    if (!line.starts_with(kThread) || at == std::string_view::npos) continue;
    const auto begin = static_cast<std::size_t>(line.data() - output.data()) + at + kPanicked.size();
    const Panic panic = panic_in(output.substr(begin));
    std::string what;
    for (const std::string_view part : lines_of(panic.what))
      what += fmt::format("{}{}", what.empty() ? "" : ", ", trimmed(part));
    const std::string place(panic.place.substr(0, panic.place.rfind(':')));  // without the column
    Printed result{starts_with(what, "assertion ") ? OutcomeKind::Assertion : OutcomeKind::Exception,
                   fmt::format("panic: {}, at {}", what, place), "panic at " + place, place};
    result.message.resize(std::min(result.message.size(), kMaxLineBytes));
    return result;
  }
  return {};
}

std::optional<Printed> printed_corruption(std::string_view output) {
  static constexpr std::string_view kWordings[] = {"exit(): a block was written past its end",
                                                   "exit(): the word behind a block was overwritten",
                                                   "*** stack smashing detected ***",
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
      return Printed{OutcomeKind::Crash, std::string(line.substr(0, kMaxLineBytes)), corruption_identity(line)};
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

}  // namespace heddle

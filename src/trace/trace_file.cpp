// Which environment variables a trace keeps, and traces as files. The format is in trace_writer.cpp and
// trace_reader.cpp.
#include "trace/trace_file.h"

#include <algorithm>

#include "trace/atomic_file.h"

namespace heddle {
namespace {

constexpr std::string_view kNames[] = {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_BIND_NOW", "TZ", "LANG", "LANGUAGE"};
constexpr std::string_view kPrefixes[] = {"GTEST_", "LC_", "MALLOC_", "OMP_", "GOMP_", "KMP_", "GLIBC_", "TEST_"};
constexpr std::string_view kSuffixes[] = {"_OPTIONS"};  // ASAN_OPTIONS, UBSAN_OPTIONS …

bool starts_with_any(std::string_view text) {
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; });
}

bool ends_with_any(std::string_view text) {
  return std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](std::string_view suffix) {
    return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
  });
}

}  // namespace

bool matters(std::string_view variable) {
  return std::find(std::begin(kNames), std::end(kNames), variable) != std::end(kNames) || starts_with_any(variable) ||
         ends_with_any(variable);
}

std::vector<NamedText> environment_that_matters(const char* const* environment) {
  std::vector<NamedText> result;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos || !matters(entry.substr(0, equals))) continue;
    result.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string write_trace(const std::string& path, const Trace& trace) { return write_file(path, format_trace(trace)); }

ReadTrace read_trace(const std::string& path) {
  const FileContent file = read_file(path);
  if (!file.error.empty()) return {{}, file.error};
  if (file.content.starts_with("\x7f"
                               "ELF"))
    return {{}, path + " is a program, not a trace; heddle run searches it for bugs"};
  return parse_trace(file.content, path);
}

}  // namespace heddle

// See python_functions.h.
#include "analysis/python_functions.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace heddle {
namespace {

constexpr std::size_t kMaxLines = 1'000'000, kTabWidth = 8;

struct Scope {
  std::size_t indentation;
  std::string name;  // with those around it
  bool is_function;
};

std::size_t indentation_of(const std::string& line) {
  std::size_t width = 0;
  for (const char c : line) {
    if (c == '\t')
      width = (width / kTabWidth + 1) * kTabWidth;
    else if (c == ' ')
      ++width;
    else
      break;
  }
  return width;
}

std::string_view without_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) ? text.substr(word.size()) : std::string_view();
}

// What a line defines, if anything: "put" of "async def put(self):".
std::string_view defined_by(std::string_view code, bool& is_function) {
  if (const auto rest = without_word(code, "async "); !rest.empty()) code = rest;
  std::string_view rest = without_word(code, "def ");
  is_function = !rest.empty();
  if (!is_function) rest = without_word(code, "class ");
  return rest.substr(0, rest.find_first_of("(:[ "));
}

std::string name_within(const std::vector<Scope>& scopes) {
  return scopes.empty() || !scopes.back().is_function ? "<module>" : scopes.back().name;
}

}  // namespace

std::vector<std::string> python_functions(const std::vector<std::string>& lines) {
  std::vector<std::string> result;
  std::vector<Scope> scopes;
  for (const std::string& line : lines) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin != std::string::npos && line[begin] != '#') {
      const std::size_t indentation = indentation_of(line);
      while (!scopes.empty() && scopes.back().indentation >= indentation) scopes.pop_back();
      bool is_function = false;
      const std::string_view name = defined_by(std::string_view(line).substr(begin), is_function);
      if (!name.empty()) {
        const std::string outer = scopes.empty() ? "" : scopes.back().name + ".";
        // The line itself belongs to what is around it when it runs, and is where the function begins when that is
        // called: steps are taken in calls.
        scopes.push_back({indentation, outer + std::string(name), is_function});
      }
    }
    result.push_back(name_within(scopes));
  }
  return result;
}

const std::vector<std::string>& PythonFunctions::functions_of(const std::string& file) {
  const auto [entry, added] = files_.try_emplace(file);
  if (!added) return entry->second;
  std::error_code error;  // a trace may name anything: a pipe or a device would never end
  if (!std::filesystem::is_regular_file(file, error)) return entry->second;
  std::ifstream input(file);
  std::vector<std::string> lines;
  for (std::string line; lines.size() < kMaxLines && std::getline(input, line);) lines.push_back(line);
  return entry->second = python_functions(lines);
}

const std::string& PythonFunctions::function_at(const std::string& file, int line) {
  static const std::string none;
  const auto& names = functions_of(file);
  const auto index = static_cast<std::size_t>(line) - 1;
  return index < names.size() ? names[index] : none;
}

}  // namespace heddle

// See program_name.h.
#include "driver/target/program_name.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace heddle {
namespace {

// Followed by a version, or by nothing.
bool is_interpreter(std::string_view name) {
  constexpr std::string_view kKnown[] = {"python", "mono", "mono-sgen", "java", "node", "ruby", "perl", "sh", "bash"};
  return std::any_of(std::begin(kKnown), std::end(kKnown), [&](std::string_view known) {
    return name.starts_with(known) && name.find_first_not_of("0123456789.", known.size()) == name.npos;
  });
}

std::string file_name_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

bool is_file(const std::string& word) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(word, ignored);
}

}  // namespace

std::string program_name(const std::vector<std::string>& command) {
  std::string name = file_name_of(command[0]);
  if (!is_interpreter(name)) return name;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    const bool is_module = word == "-m" && i + 1 < command.size();
    if (is_module) return command[i + 1].find('/') == std::string::npos ? command[i + 1] : name;
    if (word.starts_with('-')) {
      if (word == "-c" || word == "-e") return name;  // what follows is code
      if (word == "-X" || word == "-W") ++i;          // Python's options with a word of their own
      continue;
    }
    if (is_file(word)) return file_name_of(word);
  }
  return name;
}

}  // namespace heddle

// Lines of source files; see source_text.h.
#include "analysis/source_text.h"

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

constexpr std::size_t kMaxLines = 1'000'000;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string& copies() {
  static std::string folder;
  return folder;
}

}  // namespace

void SourceText::look_below(const std::string& folder) { copies() = folder; }

std::string SourceText::line(const std::string& file, int number) { return trimmed(whole_line(file, number)); }

std::string SourceText::whole_line(const std::string& file, int number) {
  if (file.empty() || number < 1) return {};
  const auto& all = lines(file);
  return static_cast<std::size_t>(number) <= all.size() ? all[static_cast<std::size_t>(number) - 1] : std::string();
}

const std::vector<std::string>& SourceText::lines(const std::string& file) {
  const auto [entry, added] = files_.try_emplace(file);
  if (!added) return entry->second;
  std::error_code error;  // a trace may name anything: a pipe or a device would never end
  const std::string copy = copies() + file;
  const bool is_copied = !copies().empty() && file.starts_with('/') && std::filesystem::is_regular_file(copy, error);
  if (!is_copied && !std::filesystem::is_regular_file(file, error)) return entry->second;
  std::ifstream input(is_copied ? copy : file);
  for (std::string line; entry->second.size() < kMaxLines && std::getline(input, line);) entry->second.push_back(line);
  return entry->second;
}

}  // namespace heddle

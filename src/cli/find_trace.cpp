// Finding the trace that is meant; see find_trace.h.
#include "cli/find_trace.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/output_folder.h"
#include "cli/values.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

// The number in "bug-12.trace"; 0 for other names.
std::uint64_t bug_number(const std::string& name) {
  if (name.size() <= 10 || name.compare(0, 4, "bug-") != 0 || name.substr(name.size() - 6) != ".trace") return 0;
  return parse_number(name.substr(4, name.size() - 10)).value_or(0);
}

FoundTraces bugs_in(const fs::path& folder) {
  std::error_code error;
  std::set<std::uint64_t> numbers;
  for (const auto& entry : fs::directory_iterator(folder, error)) numbers.insert(bug_number(entry.path().filename()));
  if (error) return {{}, fmt::format("{} can't be read: {}", folder.string(), error.message())};
  FoundTraces found;
  for (const std::uint64_t number : numbers)
    if (number != 0) found.paths.push_back((folder / fmt::format("bug-{}.trace", number)).string());
  if (found.paths.empty()) found.error = fmt::format("there is no bug-N.trace in {}", folder.string());
  return found;
}

FoundTrace last_bug_in(const fs::path& folder) {
  FoundTraces found = bugs_in(folder);
  return {found.paths.empty() ? "" : found.paths.back(), std::move(found.error)};
}

// The folder that the link leads to, so that a later run does not change it.
FoundTrace latest_folder() {
  std::error_code error;
  const fs::path target = fs::read_symlink(fs::path(kOutputRoot) / kLatest, error);
  if (error)
    return {"",
            fmt::format("there is no {}/{} here: give the trace (…/bug-1.trace), or find a bug first with heddle run",
                        kOutputRoot, kLatest)};
  return {(target.is_absolute() ? target : fs::path(kOutputRoot) / target).string(), ""};
}

FoundTrace in_latest(const std::string& bug) {
  FoundTrace folder = latest_folder();
  if (folder.path.empty()) return folder;
  if (bug.empty()) return last_bug_in(folder.path);
  const fs::path path = fs::path(folder.path) / fmt::format("bug-{}.trace", bug);
  if (!fs::exists(path)) return {"", fmt::format("there is no bug {} in {}", bug, folder.path)};
  return {path.string(), ""};
}

}  // namespace

FoundTrace find_trace(const std::vector<std::string>& operands) {
  if (operands.size() > 1) return {"", fmt::format("one trace is enough; \"{}\" is too much", operands[1])};
  if (operands.empty()) return in_latest("");
  const std::string& operand = operands[0];
  std::error_code error;
  if (fs::is_directory(operand, error)) return last_bug_in(operand);
  if (!fs::exists(operand, error) && parse_number(operand)) return in_latest(operand);
  return {operand, ""};
}

FoundTraces find_traces(const std::vector<std::string>& operands) {
  std::error_code error;
  if (operands.size() == 1 && fs::is_directory(operands[0], error)) return bugs_in(operands[0]);
  FoundTrace found = find_trace(operands);
  if (found.path.empty()) return {{}, std::move(found.error)};
  return {{std::move(found.path)}, ""};
}

}  // namespace heddle::cli

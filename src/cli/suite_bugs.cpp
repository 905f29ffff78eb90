// See suite_bugs.h.
#include "cli/suite_bugs.h"

#include <fmt/format.h>

#include <filesystem>

namespace heddle::cli {

// Relative, so that the folder can be moved or copied as a whole.
std::string link_bugs(const std::string& folder, const std::vector<ReportedBug>& bugs) {
  namespace fs = std::filesystem;
  for (std::size_t i = 0; i < bugs.size(); ++i) {
    const fs::path trace = bugs[i].text("trace");
    if (trace.empty()) continue;
    for (const char* const ending : {".trace", ".html"}) {
      const fs::path link = fs::path(folder) / fmt::format("bug-{}{}", i + 1, ending);
      std::error_code error;
      fs::create_symlink(fs::path(trace).replace_extension(ending).lexically_relative(folder), link, error);
      if (error)
        return fmt::format("{} can't be made ({}): name the trace itself instead of the bug's number", link.string(),
                           error.message());
    }
  }
  return {};
}

}  // namespace heddle::cli

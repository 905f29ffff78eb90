// Which trace `heddle replay` and `heddle show` take: the one that was named, else that of the latest bug.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

struct FoundTrace {
  std::string path;
  std::string error;  // when `path` is empty
};

// `operands`: nothing (the latest bug of the latest run), a trace, a run's folder, or a bug's number in the latest run.
FoundTrace find_trace(const std::vector<std::string>& operands);

}  // namespace heddle::cli

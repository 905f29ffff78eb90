// Which trace `heddle replay`, `heddle show` and others take: the one that was named, else that of the latest bug.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

struct FoundTrace {
  std::string path;
  std::string error;  // when `path` is empty
};

struct FoundTraces {
  std::vector<std::string> paths;
  std::string error;  // when there are none
};

// `operands`: nothing (the latest bug of the latest run), a trace, a run's folder, or a bug's number in the latest run.
FoundTrace find_trace(const std::vector<std::string>& operands);
// The same, but of a folder all its bugs, by their numbers.
FoundTraces find_traces(const std::vector<std::string>& operands);

}  // namespace heddle::cli

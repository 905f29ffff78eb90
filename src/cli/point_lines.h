// Places that race, as text of the source: a rebuilt file has them at other addresses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/modules.h"
#include "trace/trace_file.h"

namespace heddle::cli {

// Remembers what it has read and found: a run asks for the same places with each bug.
class PointLines {
 public:
  PointLines();
  ~PointLines();
  // One for each of these places; without a file where nothing is known of it.
  std::vector<SourceLine> of(const std::vector<CodePlace>& points, const ModuleMap& modules);

 private:
  struct Known;
  std::unique_ptr<Known> known_;
};

struct FoundPoints {
  std::vector<CodePlace> points;
  std::size_t missing = 0;  // so many of the trace's are not there any more, or not to be told
};
// The trace's points as they are now in these files (paths), of which the trace's are other builds. What lies in other
// files is left where it was.
FoundPoints points_in_builds(const TraceHeader& header, const std::vector<std::string>& rebuilt);

}  // namespace heddle::cli

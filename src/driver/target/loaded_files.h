// The files that the program had loaded when it was first explored: itself and its libraries. A search belongs to these
// builds: if one of the files is rebuilt during the search or before it is resumed, the results are those of the old
// build.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "driver/target/target.h"
#include "trace/modules.h"

namespace heddle {

class LoadedFiles {
 public:
  // Now; what changes later, before it is remembered, the program makes itself.
  LoadedFiles();

  void remember(const ModuleMap& modules);
  // Empty while they are the files that they were; else the path of one that is not.
  std::string replaced() const;
  // Their paths and what their builds are told by (build_id_of()), to be asked for while none is replaced. Read once: a
  // file without a build id is hashed for it.
  const std::vector<std::pair<std::string, std::string>>& builds();

 private:
  std::int64_t begun_ns_;
  std::vector<std::pair<std::string, FileStamp>> files_;
  std::vector<std::pair<std::string, std::string>> builds_;
};

}  // namespace heddle

// What the program's forked children report about themselves; each report is shown once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "protocol/shared.h"
#include "trace/modules.h"

namespace heddle {

class ChildReports {
 public:
  // `modules`: what the target has loaded, asked where there is something to say.
  void take(const ChildNews& news, const std::function<ModuleMap()>& modules, std::vector<std::string>& notes);

 private:
  bool told_hung_ = false, told_threads_ = false, told_misuse_ = false;
};

}  // namespace heddle

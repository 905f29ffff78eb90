// --execution-log: a line per execution. The tests compare runs under different isolations by these lines.
#pragma once

#include <cstdint>
#include <string>

#include "driver/process/descriptor.h"
#include "trace/execution.h"

namespace heddle {

class ExecutionLog {
 public:
  // An empty name: no log. A file that can't be written is said on standard error, once.
  explicit ExecutionLog(const std::string& file);
  bool open() const { return bool{file_}; }
  // "NUMBER STEPS END STATUS HASH": the hash is of everything that was recorded, addresses included.
  // Empty, or why it could not be written: the log ends there, and is closed.
  std::string add(std::uint64_t number, const Execution& execution);

 private:
  std::string name_;
  Descriptor file_;
};

}  // namespace heddle

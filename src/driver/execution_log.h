// --execution-log: a line per execution, by which runs under different isolations are compared.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "trace/execution.h"

namespace heddle {

class ExecutionLog {
 public:
  // An empty name: no log. A file that can't be written is said on standard error, once.
  explicit ExecutionLog(const std::string& file);
  bool open() const { return file_ != nullptr; }
  // "NUMBER STEPS END STATUS HASH": the hash is of everything that was recorded, addresses included.
  void add(std::uint64_t number, const Execution& execution);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace heddle

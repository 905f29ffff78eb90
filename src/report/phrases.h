// What a step did, in words: "locks queue.mutex", "signals changed: nobody is waiting". One table, in phrases.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analysis/waiting.h"
#include "trace/execution.h"

namespace heddle {

class Phrases {
 public:
  // Both must outlive this.
  Phrases(const Execution& execution, NameSource& names);

  // "locks queue.mutex", "tries to lock a: it is taken".
  std::string step(std::size_t index);
  // What it was going to do: "lock queue.mutex". `object`: its name, if there is one.
  std::string intention(OperationKind operation, const std::string& object);
  // Whom a signal, broadcast or wake let go on; empty for other steps.
  const std::vector<TaskId>& woken_by(std::size_t index) const;
  // Was this a signal, broadcast or wake while nobody waited?
  bool in_vain(std::size_t index) const;

 private:
  void find_wakes();
  std::string ended_otherwise(const StepRecord& step);
  std::string result_of(const StepRecord& step);
  std::string wakes(std::size_t index);
  std::string object_of(std::size_t index);
  std::string in_library_call(std::size_t index);

  const Execution& execution_;
  NameSource& names_;
  std::map<std::size_t, std::vector<TaskId>> woken_;
};

}  // namespace heddle

// What a step did, in words: "locks queue.mutex", "signals changed: nobody is waiting". One table, in phrases.cpp.
#pragma once

#include <map>
#include <vector>

#include "analysis/waiting.h"
#include "analysis/written_values.h"
#include "trace/execution.h"

namespace heddle {

class Phrases {
 public:
  // Both must outlive this.
  Phrases(const Execution& execution, NameSource& names);

  // "locks queue.mutex", "tries to lock a: it is taken".
  Prose step(std::size_t index);
  // What it was going to do: "lock queue.mutex". `object`: empty where there is none.
  Prose intention(OperationKind operation, const Prose& object);
  // Whom a signal, broadcast or wake let go on; empty for other steps.
  const std::vector<TaskId>& woken_by(std::size_t index) const;
  // What an access to memory found or wrote there: "3", "kStopped"; empty: not known, or it is none.
  std::string value_at(std::size_t index) const;
  // A script's thread comes to a line.
  bool comes_to_line(std::size_t index) const;
  // Was this a signal, broadcast or wake while nobody waited?
  bool in_vain(std::size_t index) const;

 private:
  void find_wakes();
  Prose ended_otherwise(const StepRecord& step);
  Prose wakes(std::size_t index);
  Prose object_of(std::size_t index);
  Prose in_library_call(std::size_t index);
  Prose in_wait_of_script(const StepRecord& step);
  Prose value_of(std::size_t index) const;

  const Execution& execution_;
  NameSource& names_;
  ObjectId script_lock_;
  WrittenValues written_;
  std::map<std::size_t, std::vector<TaskId>> woken_;
};

}  // namespace heddle

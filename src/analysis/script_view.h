// An execution of a script (protocol/scripts.h) as its author knows it. CPython makes locks of semaphores, and lets a
// thread's end be awaited by one; here these are mutexes, with their holders, and joins. So what is made for mutexes
// and joins (patterns, the wait-for graph, sentences) holds for scripts as well. Steps keep their numbers.
#pragma once

#include <optional>

#include "trace/execution.h"

namespace heddle {

class ScriptView {
 public:
  // The execution must outlive this. It is not copied unless a script ran in it.
  explicit ScriptView(const Execution& execution);
  const Execution& execution() const { return changed_ ? *changed_ : raw_; }

 private:
  const Execution& raw_;
  std::optional<Execution> changed_;
};

}  // namespace heddle

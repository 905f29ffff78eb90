// What the threads of an execution are called: as the program named them, else after the function that they run, else
// after those that were created in the same way.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/symbolizer.h"
#include "trace/execution.h"

namespace heddle {

class ThreadNames {
 public:
  // Both must outlive this.
  ThreadNames(const Execution& execution, Symbolizer& symbolizer);

  std::string name(TaskId task) const;
  // The step at which the thread of this object was created; nothing when it is not known.
  std::optional<std::size_t> creation_step(ObjectId thread) const;

 private:
  void scan_steps();
  void name_tasks();
  std::string base_name(TaskId task);
  std::string name_of_lambda(TaskId task, const char* what);
  void scan_siblings();
  std::pair<Site, std::vector<Site>> birth(TaskId task) const;
  bool came_from_entry(TaskId task, const std::vector<Site>& stack);
  std::string function_of_task(TaskId task, const std::vector<Site>& stack);
  std::string outermost_function(const std::vector<Site>& stack);

  const Execution& execution_;
  Symbolizer& symbolizer_;
  std::vector<std::string> names_;
  std::vector<std::string> functions_;              // per task: the outermost code of the user's own that was seen
  std::map<ObjectId, std::size_t> creation_steps_;  // by the thread's object
  // What the threads do that were created in one way at one place; empty: not all the same.
  std::map<std::pair<Site, std::vector<Site>>, std::string> siblings_;
};

}  // namespace heddle

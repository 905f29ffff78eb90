// See thread_names.h.
#include "analysis/thread_names.h"

#include <fmt/format.h>

#include "analysis/function_name.h"
#include "analysis/places.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

bool is_libc(const Frame& frame) { return file_name(frame.module).substr(0, 7) == "libc.so"; }

}  // namespace

ThreadNames::ThreadNames(const Execution& execution, Symbolizer& symbolizer)
    : execution_(execution), symbolizer_(symbolizer) {
  scan_steps();
  name_tasks();
}

std::string ThreadNames::name(TaskId task) const {
  return task < names_.size() ? names_[task] : fmt::format("thread {}", task);
}

std::optional<std::size_t> ThreadNames::creation_step(ObjectId thread) const {
  const auto found = creation_steps_.find(thread);
  return found == creation_steps_.end() ? std::nullopt : std::optional(found->second);
}

void ThreadNames::scan_steps() {
  functions_.resize(execution_.tasks.size());
  for (std::size_t i = 0; i < execution_.steps.size(); ++i) {
    const StepRecord& step = execution_.steps[i];
    if (step.operation == OperationKind::ThreadCreated) creation_steps_.try_emplace(step.object, i);
    if (i < execution_.stacks.size() && step.task < functions_.size() && functions_[step.task].empty())
      functions_[step.task] = function_of_task(step.task, execution_.stacks[i]);
  }
}

void ThreadNames::name_tasks() {
  scan_siblings();
  std::map<std::string, unsigned> uses;
  for (const TaskRecord& task : execution_.tasks) {
    names_.push_back(base_name(task.task));
    ++uses[names_.back()];
  }
  std::map<std::string, unsigned> seen;
  for (std::string& name : names_) {
    const std::string base = name;
    const bool ends_in_line = base.find(" at ") != std::string::npos;
    if (uses[base] > 1) name = fmt::format("{} {}{}", base, ends_in_line ? "#" : "", ++seen[base]);
  }
}

std::string ThreadNames::base_name(TaskId task) {
  if (task == 0) return "main";
  for (auto message = execution_.messages.rbegin(); message != execution_.messages.rend(); ++message)
    if (message->kind == MessageKind::TaskName && message->task == task && !message->text.empty()) return message->text;
  const TaskRecord& record = execution_.tasks[task];
  const Frame entry = record.entry == 0 ? Frame() : symbolizer_.frames(record.entry + 1).back();
  std::string function = is_user_code(entry) ? entry.function : functions_[task];
  if (function.empty()) {
    const auto own = birth(task);
    const auto siblings = siblings_.find(own);
    if (siblings != siblings_.end() && !outermost_function(own.second).empty()) function = siblings->second;
  }
  if (is_nameless(function)) function = name_of_lambda(task, function.starts_with(kClosure) ? kClosure : kLambda);
  return function.empty() ? fmt::format("thread {}", task) : function;
}

// "lambda at pool.cpp:41": by where it became a thread. Empty: that is not known.
std::string ThreadNames::name_of_lambda(TaskId task, const char* what) {
  std::vector<Site> stack = birth(task).second;
  if (stack.empty() && execution_.tasks[task].created_at != 0) stack.push_back(execution_.tasks[task].created_at);
  for (const Site site : stack)
    for (const Frame& frame : symbolizer_.frames(site)) {
      if (!is_user_code(frame) || frame.file.empty()) continue;
      return fmt::format("{} at {}:{}", what, file_name(frame.file), frame.line);
    }
  return {};
}

// How a thread was created: its entry, and the calls that led there.
std::pair<Site, std::vector<Site>> ThreadNames::birth(TaskId task) const {
  const auto created = creation_step(execution_.tasks[task].object);
  return {execution_.tasks[task].entry, created ? stack_of_step(execution_, *created) : std::vector<Site>()};
}

// A thread that has not come to code of the user's yet is called after its siblings.
void ThreadNames::scan_siblings() {
  for (const TaskRecord& task : execution_.tasks) {
    if (task.task == 0 || functions_[task.task].empty()) continue;
    const auto [entry, added] = siblings_.try_emplace(birth(task.task), functions_[task.task]);
    if (!added && entry->second != functions_[task.task]) entry->second.clear();
  }
}

// After its start function, which for std::thread is code of the library's, a thread runs destructors of thread_local
// variables and keys: it is not called after these, nor after a signal handler that ran before it. Their calls do not
// come from the start function. Of a deep stack only the innermost part is recorded: it does not begin with our frames,
// or with those of libc that call ours in a kernel thread, and is believed.
bool ThreadNames::came_from_entry(TaskId task, const std::vector<Site>& stack) {
  const Site entry = execution_.tasks[task].entry;
  if (entry == 0) return true;
  const auto outermost = [&](Site site) -> const Frame& { return symbolizer_.frames(site).back(); };
  const Frame& start = outermost(entry + 1);
  if (is_of_heddle(start)) return true;
  auto site = stack.rbegin();
  while (site != stack.rend() && is_libc(outermost(*site))) ++site;
  if (site == stack.rend() || !is_of_heddle(outermost(*site))) return true;
  while (site != stack.rend() && is_of_heddle(outermost(*site))) ++site;
  return site != stack.rend() && *site > entry && outermost(*site).module == start.module &&
         outermost(*site).function == start.function;
}

std::string ThreadNames::function_of_task(TaskId task, const std::vector<Site>& stack) {
  std::string function = outermost_function(stack);
  return function.empty() || came_from_entry(task, stack) ? function : std::string();
}

// A destructor there is that of what the thread was given (a lambda's is called "~").
std::string ThreadNames::outermost_function(const std::vector<Site>& stack) {
  for (auto site = stack.rbegin(); site != stack.rend(); ++site) {
    const std::vector<Frame>& frames = symbolizer_.frames(*site);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      if (is_user_code(*frame)) return frame->function.starts_with('~') ? std::string() : frame->function;
  }
  return {};
}

}  // namespace heddle

// Names of threads, objects and places; see names.h.
#include "analysis/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/function_name.h"
#include "analysis/memory_origin.h"
#include "protocol/assert.h"
#include "protocol/descriptors.h"

namespace heddle {
namespace {

// The step at which `pending` 's holder took what it waits for: the last one that acquired it.
std::optional<std::size_t> holding_step(const Execution& execution, const PendingRecord& pending) {
  for (std::size_t i = execution.steps.size(); i-- > 0;) {
    const StepRecord& step = execution.steps[i];
    const bool acquired = step.object == pending.object && step.task == pending.held_by &&
                          (step.flags & StepFlags::Wrote) != 0 && (step.flags & StepFlags::Released) == 0;
    if (acquired && (pending.held_since == 0 || step.site == pending.held_since)) return i;
  }
  return {};
}

Span as_span(const Location& location, std::string text) {
  const Frame& frame = location.frame;
  return {SpanKind::Place, std::move(text), 0, 0, {frame.file, frame.line, frame.function}};
}

bool is_libc(const Frame& frame) { return file_name(frame.module).substr(0, 7) == "libc.so"; }

}  // namespace

Names::Names(const Execution& execution, Symbolizer& symbolizer, std::string folder)
    : execution_(execution), symbolizer_(symbolizer), folder_(std::move(folder)) {
  if (!folder_.empty() && folder_.back() != '/') folder_ += '/';
  scan_steps();
  name_tasks();
  read_memory_names();
  name_objects();
}

void Names::scan_steps() {
  functions_.resize(execution_.tasks.size());
  for (std::size_t i = 0; i < execution_.steps.size(); ++i) {
    const StepRecord& step = execution_.steps[i];
    first_steps_.try_emplace(step.object, i);
    first_steps_.try_emplace(step.object2, i);
    if (object_kind(step.operation) == ObjectKind::Memory) parts_[step.object][offset_of(step)];
    if (step.operation == OperationKind::ThreadCreated) creation_steps_.try_emplace(step.object, i);
    if (i < execution_.stacks.size() && step.task < functions_.size() && functions_[step.task].empty())
      functions_[step.task] = function_of_task(step.task, execution_.stacks[i]);
  }
  for (const PendingRecord& pending : execution_.pending)
    if (object_kind(pending.operation) == ObjectKind::Memory) parts_[pending.object][offset_of(pending)];
}

void Names::name_tasks() {
  scan_siblings();
  std::map<std::string, unsigned> uses;
  for (const TaskRecord& task : execution_.tasks) {
    tasks_.push_back(task_base_name(task.task));
    ++uses[tasks_.back()];
  }
  std::map<std::string, unsigned> seen;
  for (std::string& name : tasks_) {
    const std::string base = name;
    if (uses[base] > 1) name = fmt::format("{} {}", base, ++seen[base]);
  }
}

std::string Names::task_base_name(TaskId task) {
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
  return function.empty() || function.find(kLambda) == 0 ? fmt::format("thread {}", task) : function;
}

// How a thread was created: its entry, and the calls that led there.
std::pair<Site, std::vector<Site>> Names::birth(TaskId task) const {
  const auto created = creation_steps_.find(execution_.tasks[task].object);
  return {execution_.tasks[task].entry,
          created == creation_steps_.end() ? std::vector<Site>() : stack_of_step(created->second)};
}

// A thread that has not come to code of the user's yet is called after its siblings.
void Names::scan_siblings() {
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
bool Names::came_from_entry(TaskId task, const std::vector<Site>& stack) {
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

std::string Names::function_of_task(TaskId task, const std::vector<Site>& stack) {
  std::string function = outermost_function(stack);
  return function.empty() || came_from_entry(task, stack) ? function : std::string();
}

// A destructor there is that of what the thread was given (a lambda's is called "~").
std::string Names::outermost_function(const std::vector<Site>& stack) {
  for (auto site = stack.rbegin(); site != stack.rend(); ++site) {
    const std::vector<Frame>& frames = symbolizer_.frames(*site);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      if (is_user_code(*frame)) return frame->function.starts_with('~') ? std::string() : frame->function;
  }
  return {};
}

namespace {

std::string descriptor_name(std::uint64_t address) {
  const DescriptorName named = unpack(address);
  if (named.first < 0) return named.kind;
  return named.second < 0 ? fmt::format("{} {}", named.kind, named.first)
                          : fmt::format("{} {}/{}", named.kind, named.first, named.second);
}

}  // namespace

// As the program has given them; of two for one piece the later one.
void Names::read_memory_names() {
  for (const ExecutionMessage& message : execution_.messages) {
    if (message.kind != MessageKind::MemoryName) continue;
    const auto end = message.text.find('\0'), space = message.text.find(' ');
    if (end == std::string::npos || space > end) continue;
    const auto begin = parse_hex("0x" + message.text.substr(0, space));
    const auto size = parse_hex("0x" + message.text.substr(space + 1, end - space - 1));
    if (begin && size) memory_names_[*begin] = {*size, message.text.substr(end + 1)};
  }
}

std::string Names::variable(std::uint64_t address) {
  auto named = memory_names_.upper_bound(address);
  if (named != memory_names_.begin() && address - (--named)->first < std::max<std::uint64_t>(named->second.size, 1))
    return address == named->first ? named->second.name
                                   : fmt::format("{}+{:#x}", named->second.name, address - named->first);
  return symbolizer_.variable(address);
}

std::string Names::variable(const RaceRecord& later) {
  std::string variable = this->variable(later.address);
  if (!variable.empty()) return variable;
  const auto origin = memory_origin(execution_, later);
  return origin ? symbolizer_.local_variable(*origin, later.address) : std::string();
}

void Names::name_objects() {
  std::map<ObjectKind, unsigned> unnamed;
  for (const ObjectRecord& object : execution_.objects) {
    if (object.object_kind == ObjectKind::Descriptor) {
      objects_[object.object] = descriptor_name(object.address);
      continue;
    }
    if (object.object_kind == ObjectKind::Memory) {
      name_memory(object);
      continue;
    }
    std::string variable = object.object_kind == ObjectKind::Thread ? "" : this->variable(object.address);
    if (!variable.empty()) {
      variables_[object.object] = variable;
      objects_[object.object] = std::move(variable);
    } else {
      objects_[object.object] = fmt::format("{} {}", name(object.object_kind), ++unnamed[object.object_kind]);
    }
  }
  for (const TaskRecord& task : execution_.tasks)
    if (task.object != kNoObject) tasks_of_objects_[task.object] = task.task;
}

ObjectId Names::object_at(ObjectKind kind, std::uint64_t address) const {
  for (const ObjectRecord& object : execution_.objects)
    if (object.object_kind == kind && object.address == address) return object.object;
  return kNoObject;
}

// A piece of memory is called after all that was accessed of it.
void Names::name_memory(const ObjectRecord& object) {
  const std::uint64_t begin = object.address / kMemoryPiece * kMemoryPiece;
  auto& parts = parts_[object.object];
  if (parts.empty()) parts[static_cast<std::uint8_t>(object.address - begin)];
  std::string all, last;
  bool known = true;
  for (auto& [offset, name] : parts) {
    name = variable(begin + offset);
    if (name.empty()) {
      known = false;
      name = fmt::format("{} {}", heddle::name(ObjectKind::Memory), ++unnamed_parts_);
    }
    if (name != last) all += (all.empty() ? "" : " or ") + name;
    last = name;
  }
  objects_[object.object] = all;
  if (known) variables_[object.object] = all;
}

Span Names::part(ObjectId object, std::uint8_t offset) {
  const auto parts = parts_.find(object);
  if (parts == parts_.end()) return this->object(object);
  const auto part = parts->second.find(offset);
  if (part == parts->second.end()) return this->object(object);
  return {SpanKind::Object, part->second, object, offset};
}

Span Names::task(TaskId task) {
  if (task == kNoTask) return {SpanKind::Thread, "a thread that Heddle does not schedule", task};
  return {SpanKind::Thread, task < tasks_.size() ? tasks_[task] : fmt::format("thread {}", task), task};
}

Span Names::object(ObjectId object) {
  if (const auto thread = tasks_of_objects_.find(object); thread != tasks_of_objects_.end())
    return task(thread->second);
  const auto found = objects_.find(object);
  return {SpanKind::Object, found == objects_.end() ? fmt::format("object {}", object) : found->second, object};
}

std::vector<Prose> Names::frames_of_stack(const std::vector<Site>& stack) {
  std::vector<Prose> result;
  for (const Site site : stack)
    for (const Frame& frame : symbolizer_.frames(site)) {
      if (!is_user_code(frame)) continue;
      const Location location{frame, site, {}, {}};
      result.push_back(frame.function.empty() || frame.file.empty()
                           ? Prose(place(location))
                           : prose("{} ({})", call_span(frame.function), place(location)));
    }
  return result;
}

Prose Names::task_origin(TaskId task) {
  if (task == 0 || task >= execution_.tasks.size()) return {};
  const TaskRecord& record = execution_.tasks[task];
  const auto created = creation_steps_.find(record.object);
  if (created != creation_steps_.end()) return prose("created at {}", place_of_step(created->second));
  return record.created_at == 0 ? Prose() : prose("created at {}", place(location_of_site(record.created_at)));
}

Prose Names::object_origin(ObjectId object) {
  if (knows_object_by_name(object)) return {};
  const ObjectRecord* record = execution_.object(object);
  if (record != nullptr && record->created_at != 0) {
    const Location created = location_of_site(record->created_at);
    const auto step = first_step_on(object);
    // Known by an operation on it only, which may have been refused and never become a step.
    const bool by_use =
        (step && execution_.steps[*step].site == record->created_at) ||
        std::any_of(execution_.pending.begin(), execution_.pending.end(), [&](const auto& pending) {
          return (pending.object == object || pending.object2 == object) && pending.site == record->created_at;
        });
    if (!by_use && is_user_code(created.frame) && !created.frame.file.empty())
      return prose("created at {}", place(created));
  }
  const auto step = first_step_on(object);
  if (!step) return {};
  const Location used = location_of_step(*step);
  const Prose inside = used.through.empty() ? Prose() : ", in " + Prose(call_span(used.through));
  return prose("first used at {}{}", place(used), inside);
}

std::optional<std::size_t> Names::first_step_on(ObjectId object) const {
  const auto found = first_steps_.find(object);
  return found == first_steps_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Site> Names::stack_of_step(std::size_t index) const {
  if (index < execution_.stacks.size() && !execution_.stacks[index].empty()) return execution_.stacks[index];
  return {execution_.steps[index].site};
}

Location Names::location_of_step(std::size_t index) { return locate(stack_of_step(index)); }

// A pending entry without an operation is where a fault happened: its innermost address is no return address.
Location Names::location_of_pending(std::size_t index) {
  HEDDLE_ASSERT(index < execution_.pending.size(), "an operation that is pending is asked for by its number");
  const PendingRecord& pending = execution_.pending[index];
  const bool has_stack = index < execution_.pending_stacks.size() && !execution_.pending_stacks[index].empty();
  std::vector<Site> stack = has_stack ? execution_.pending_stacks[index] : std::vector<Site>{pending.site};
  if (pending.operation == OperationKind::None) ++stack.front();
  return locate(stack);
}

Prose Names::place_of_pending(std::size_t index) {
  const Location location = location_of_pending(index);
  return place(location) + (location.through.empty() ? Prose() : prose(" (in {})", call_span(location.through)));
}

Prose Names::place_of_hold(std::size_t index) {
  const PendingRecord& pending = execution_.pending[index];
  if (const auto step = holding_step(execution_, pending)) return place_of_step(*step);
  return pending.held_since == 0 ? Prose() : place(location_of_site(pending.held_since));
}

Location Names::locate(const std::vector<Site>& stack, Headers headers) {
  std::optional<Location> header;  // of a library that is compiled in
  Location first;                  // of user code without source
  std::string call, through;
  for (const Site site : stack) {
    for (const Frame& frame : symbolizer_.frames(site)) {
      const bool own = is_user_code(frame), has_source = own && !frame.file.empty();
      if (has_source && (headers == Headers::Told || !is_installed_header(frame))) return {frame, site, call, through};
      if (has_source && !header) header = Location{frame, site, call, through};
      if (own && first.site == 0) first = {frame, site, call, {}};
      if (own) through = frame.function;
      call = frame.function;
    }
  }
  if (header) return *header;
  return first.site != 0 ? first : Location{symbolizer_.frames(stack.front()).front(), stack.front(), {}, {}};
}

const std::string& Names::short_path(const std::string& file) {
  const auto [entry, added] = short_paths_.try_emplace(file);
  if (!added) return entry->second;
  const std::string base(file_name(file));
  const bool first = file_names_.try_emplace(base, file).first->second == file;
  entry->second = first ? base : file;
  return entry->second;
}

std::string Names::raw_place(const Location& location) const {
  const std::string raw = symbolizer_.raw(location.site);
  return location.frame.function.empty() ? raw : fmt::format("{} ({})", location.frame.function, raw);
}

Span Names::place(const Location& location) {
  if (location.frame.file.empty()) return as_span(location, raw_place(location));
  return as_span(location, fmt::format("{}:{}", short_path(location.frame.file), location.frame.line));
}

Span Names::full_place(const Location& location) const {
  const std::string& file = location.frame.file;
  if (file.empty()) return as_span(location, raw_place(location));
  const bool below = !folder_.empty() && file.compare(0, folder_.size(), folder_) == 0;
  return as_span(location, fmt::format("{}:{}", below ? file.substr(folder_.size()) : file, location.frame.line));
}

}  // namespace heddle

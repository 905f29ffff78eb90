// Names of threads, objects and places; see names.h.
#include "analysis/names.h"

#include <fmt/format.h>
#include <pthread.h>
#include <semaphore.h>

#include <algorithm>
#include <map>

#include "analysis/function_name.h"
#include "analysis/memory_origin.h"
#include "analysis/python_targets.h"
#include "analysis/source_text.h"
#include "protocol/assert.h"
#include "protocol/descriptors.h"
#include "protocol/scripts.h"

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

}  // namespace

Names::Names(const Execution& execution, Symbolizer& symbolizer, std::string folder)
    : execution_(execution),
      symbolizer_(symbolizer),
      places_(execution, symbolizer, std::move(folder)),
      threads_(execution, symbolizer),
      memory_(execution) {
  scan_steps();
  name_objects();
}

void Names::scan_steps() {
  for (std::size_t i = 0; i < execution_.steps.size(); ++i) {
    const StepRecord& step = execution_.steps[i];
    first_steps_.try_emplace(step.object, i);
    first_steps_.try_emplace(step.object2, i);
    if (step.operation == OperationKind::AtomicFence) fences_ = step.object;
    if (object_kind(step.operation) == ObjectKind::Memory) parts_[step.object][offset_of(step)];
  }
  for (const PendingRecord& pending : execution_.pending)
    if (object_kind(pending.operation) == ObjectKind::Memory) parts_[pending.object][offset_of(pending)];
}

namespace {

std::string descriptor_name(std::uint64_t address) {
  const DescriptorName named = unpack(address);
  if (named.first < 0) return named.kind;
  return named.second < 0 ? fmt::format("{} {}", named.kind, named.first)
                          : fmt::format("{} {}/{}", named.kind, named.first, named.second);
}

}  // namespace

std::string Names::variable(std::uint64_t address) {
  const std::optional<std::string> named = memory_.at(address);
  return named ? *named : symbolizer_.variable(address);
}

std::string Names::variable(const ExecutionRace& race, ValueType* value_type) {
  std::string variable = memory_.at(race.later.address).value_or("");
  if (variable.empty()) variable = symbolizer_.variable(race.later.address, value_type);
  if (!variable.empty()) return variable;
  const auto origin = memory_origin(execution_, race.later);
  if (!origin) return {};
  if (!origin->is_block) {
    const auto local = symbolizer_.local_variable(*origin, race.later.address);
    if (local && value_type != nullptr) *value_type = local->value_type;
    return local ? fmt::format("{} of {}", local->name, local->function) : std::string();
  }
  return symbolizer_.member_of_block(*origin, race.later.address, race.later.size,
                                     {race.later_stack, race.earlier_stack}, value_type);
}

const ValueType& Names::type_of(const StepRecord& step) const {
  const auto found = types_.find({step.object, offset_of(step)});
  return found == types_.end() ? NameSource::type_of(step) : found->second;
}

namespace {

// Locks that a script makes are called after what it assigns them to. An object of Python's (a queue, say) may have
// several.
class ScriptNames {
 public:
  explicit ScriptNames(Symbolizer& symbolizer) : symbolizer_(symbolizer) {}

  // In the order in which they were made. Empty: it was made elsewhere, or the line does not tell.
  std::string name(const ObjectRecord& object) {
    if (!is_in_script(object.created_at)) return {};
    const Frame& frame = symbolizer_.frames(object.created_at).front();
    const auto targets = python_targets(source_.line(frame.file, frame.line), frame.function);
    if (targets.empty()) return {};
    const unsigned made = made_[object.created_at]++;
    const std::string& target = targets[std::min<std::size_t>(made, targets.size() - 1)];
    const unsigned more = ++uses_[target];
    return more == 1 ? target : fmt::format("{} #{}", target, more);
  }

 private:
  Symbolizer& symbolizer_;
  SourceText source_;
  std::map<Site, unsigned> made_;
  std::map<std::string, unsigned> uses_;
};

}  // namespace

void Names::name_objects() {
  std::map<ObjectKind, unsigned> unnamed;
  ScriptNames in_scripts(symbolizer_);
  for (const ObjectRecord& object : execution_.objects) {
    if (object.object_kind == ObjectKind::Descriptor) {
      objects_[object.object] = descriptor_name(object.address);
      continue;
    }
    if (object.object_kind == ObjectKind::Memory) {
      if (object.object == fences_)
        objects_[object.object] = "all fences";
      else
        name_memory(object);
      continue;
    }
    std::string variable = object.object_kind == ObjectKind::Thread ? "" : this->variable(object.address);
    if (const auto local = local_variable(object, object.address); variable.empty() && local) {
      variable = local->name;
      functions_[object.object] = local->function;
    }
    if (!variable.empty()) {
      variables_[object.object] = variable;
      objects_[object.object] = std::move(variable);
    } else if (std::string assigned = in_scripts.name(object); !assigned.empty()) {
      objects_[object.object] = std::move(assigned);
    } else if (std::string member = member_of_block(object, object.address); !member.empty()) {
      std::string& own = objects_[object.object] = member;
      members_[member].push_back({&own});
    } else {
      const bool is_lock = object.object_kind == ObjectKind::Mutex && is_in_script(object.created_at);
      objects_[object.object] =
          fmt::format("{} {}", is_lock ? "lock" : name(object.object_kind), ++unnamed[object.object_kind]);
    }
  }
  for (const TaskRecord& task : execution_.tasks)
    if (task.object != kNoObject) tasks_of_objects_[task.object] = task.task;
  number_equal_names();
}

namespace {

// As pthreads has them; 0: it has several sizes.
std::uint64_t bytes_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Mutex:
      return sizeof(pthread_mutex_t);
    case ObjectKind::Condition:
      return sizeof(pthread_cond_t);
    case ObjectKind::RwLock:
      return sizeof(pthread_rwlock_t);
    case ObjectKind::Semaphore:
      return sizeof(sem_t);
    case ObjectKind::Barrier:
      return sizeof(pthread_barrier_t);
    default:
      return 0;
  }
}

}  // namespace

std::optional<LocalVariable> Names::local_variable(const ObjectRecord& object, std::uint64_t address) {
  const auto origin = memory_origin(execution_, object.object);
  return origin && !origin->is_block ? symbolizer_.local_variable(*origin, address) : std::nullopt;
}

std::string Names::member_of_block(const ObjectRecord& object, std::uint64_t address, ValueType* value_type) {
  const auto origin = memory_origin(execution_, object.object);
  if (!origin || !origin->is_block) return {};
  constexpr std::size_t kMaxUses = 8;
  std::vector<std::vector<Site>> uses;
  for (std::size_t i = 0; i < execution_.steps.size() && uses.size() < kMaxUses; ++i)
    if (execution_.steps[i].object == object.object || execution_.steps[i].object2 == object.object)
      uses.push_back(stack_of_step(execution_, i));
  for (std::size_t i = 0; i < execution_.pending_stacks.size() && i < execution_.pending.size(); ++i)
    if (execution_.pending[i].object == object.object) uses.push_back(execution_.pending_stacks[i]);
  return symbolizer_.member_of_block(*origin, address, bytes_of(object.object_kind), uses, value_type);
}

// "Account.mutex #1" and "Account.mutex #2", in the order of their numbers. Two local variables come with their
// functions.
void Names::number_equal_names() {
  std::map<std::string, std::vector<ObjectId>> locals;
  for (const auto& [object, function] : functions_) locals[objects_[object]].push_back(object);
  for (const auto& [name, objects] : locals)
    for (const ObjectId object : objects)
      if (objects.size() > 1) objects_[object] = variables_[object] = fmt::format("{} of {}", name, functions_[object]);
  for (const auto& [name, places] : members_)
    for (std::size_t i = 0; places.size() > 1 && i < places.size(); ++i)
      for (std::string* const copy : places[i]) *copy = fmt::format("{} #{}", name, i + 1);
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
  bool known = true, is_member = false;
  for (auto& [offset, name] : parts) {
    ValueType& type = types_[{object.object, offset}];
    name = memory_.at(begin + offset).value_or("");
    if (name.empty()) name = symbolizer_.variable(begin + offset, &type);
    if (const auto local = name.empty() ? local_variable(object, begin + offset) : std::nullopt) {
      name = local->name;
      type = local->value_type;
      functions_[object.object] = local->function;
    }
    if (name.empty()) {
      name = member_of_block(object, begin + offset, &type);
      is_member = !name.empty();
    }
    if (name.empty()) {
      known = false;
      name = fmt::format("{} {}", heddle::name(ObjectKind::Memory), ++unnamed_parts_);
    }
    if (name != last) all += (all.empty() ? "" : " or ") + name;
    last = name;
  }
  std::string& own = objects_[object.object] = all;
  if (known && !is_member) variables_[object.object] = all;
  if (is_member && parts.size() == 1) members_[all].push_back({&own, &parts.begin()->second});
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
  return {SpanKind::Thread, threads_.name(task), task};
}

Span Names::object(ObjectId object) {
  if (const auto thread = tasks_of_objects_.find(object); thread != tasks_of_objects_.end())
    return task(thread->second);
  const auto found = objects_.find(object);
  return {SpanKind::Object, found == objects_.end() ? fmt::format("object {}", object) : found->second, object};
}

Prose Names::task_origin(TaskId task) {
  if (task == 0 || task >= execution_.tasks.size()) return {};
  const TaskRecord& record = execution_.tasks[task];
  if (const auto created = threads_.creation_step(record.object))
    return prose("created at {}", places_.name_of_step(*created));
  return record.created_at == 0 ? Prose() : prose("created at {}", places_.name(places_.of_site(record.created_at)));
}

Prose Names::object_origin(ObjectId object) {
  if (const auto local = functions_.find(object); local != functions_.end())
    return prose("a variable of {}", local->second);
  if (knows_object_by_name(object)) return {};
  const ObjectRecord* record = execution_.object(object);
  if (record != nullptr && record->created_at != 0) {
    const Location created = places_.of_site(record->created_at);
    const auto step = first_step_on(object);
    // Known by an operation on it only, which may have been refused and never become a step.
    const bool by_use =
        (step && execution_.steps[*step].site == record->created_at) ||
        std::any_of(execution_.pending.begin(), execution_.pending.end(), [&](const auto& pending) {
          return (pending.object == object || pending.object2 == object) && pending.site == record->created_at;
        });
    if (!by_use && is_user_code(created.frame) && !created.frame.file.empty())
      return prose("created at {}", places_.name(created));
  }
  const auto step = first_step_on(object);
  if (!step) return {};
  const Location used = places_.of_step(*step);
  const Prose inside = used.through.empty() ? Prose() : ", in " + Prose(call_span(used.through));
  return prose("first used at {}{}", places_.name(used), inside);
}

std::optional<std::size_t> Names::first_step_on(ObjectId object) const {
  const auto found = first_steps_.find(object);
  return found == first_steps_.end() ? std::nullopt : std::optional(found->second);
}

Prose Names::place_of_pending(std::size_t index) {
  const Location location = places_.of_pending(index);
  return places_.name(location) + (location.through.empty() ? Prose() : prose(" (in {})", call_span(location.through)));
}

Prose Names::place_of_hold(std::size_t index) {
  const PendingRecord& pending = execution_.pending[index];
  if (const auto step = holding_step(execution_, pending)) return places_.name_of_step(*step);
  return pending.held_since == 0 ? Prose() : places_.name(places_.of_site(pending.held_since));
}

}  // namespace heddle

// See execution_builder.h.
#include "trace/execution_builder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "trace/read_record.h"

namespace heddle {
namespace {

constexpr std::size_t kMaxStackDepth = 256;
constexpr std::size_t kBatch = 64;  // records that room is made for at once

bool before(const ObjectRecord& record, ObjectId id) { return record.object < id; }

// Writes all of the record to `change`, and returns where that ends; or null.
[[gnu::always_inline]] inline StateChange* take_changes(const Record& record, std::uint32_t step, std::uint32_t tasks,
                                                        StateChange* change, std::uint64_t& seen, bool& gates) {
  const auto list = read_as<ChangesRecord>(record);
  if (list.count > ChangesRecord::kCapacity) return nullptr;
  std::uint64_t states = 0;
  for (unsigned i = 0; i < list.count; ++i) {
    const ChangesRecord::Change one = list.changes[i];
    if (one.task >= tasks) {
      if (!names_gate(one.task) || one.yields != 0) return nullptr;
      gates = true;
    }
    *change++ = {step, one.task, one.state, one.yields};
    states |= bit_of_state(one.state);
  }
  seen |= states;
  return change;
}

}  // namespace

// --- objects

void ObjectOrder::add(std::vector<ObjectRecord>& objects, const ObjectRecord& record) {
  const bool in_order = sorted_ == objects.size() && (objects.empty() || before(objects.back(), record.object));
  sorted_ += in_order ? 1 : 0;
  objects.push_back(record);
  emitted_.push_back(record.object);
}

// The objects that came last mostly have the highest ids.
void ObjectOrder::truncate(std::vector<ObjectRecord>& objects, std::size_t kept) {
  if (kept < emitted_.size()) {
    const auto first_dropped = emitted_.begin() + static_cast<std::ptrdiff_t>(kept);
    std::sort(first_dropped, emitted_.end());
    const auto from = std::lower_bound(objects.begin(), objects.end(), *first_dropped, before);
    const auto dropped = [&](const ObjectRecord& record) {
      return std::binary_search(first_dropped, emitted_.end(), record.object);
    };
    objects.erase(std::remove_if(from, objects.end(), dropped), objects.end());
    emitted_.resize(kept);
  }
  sorted_ = objects.size();
}

void ObjectOrder::sort(std::vector<ObjectRecord>& objects) {
  if (sorted_ == objects.size()) return;
  constexpr std::ptrdiff_t kFew = 16;
  const auto less = [](const ObjectRecord& a, const ObjectRecord& b) { return a.object < b.object; };
  const auto same = [](const ObjectRecord& a, const ObjectRecord& b) { return a.object == b.object; };
  auto rest = objects.begin() + static_cast<std::ptrdiff_t>(sorted_);
  if (objects.end() - rest <= kFew) {  // without the allocations of the algorithms
    for (; rest != objects.end(); ++rest)
      std::rotate(std::upper_bound(objects.begin(), rest, *rest, less), rest, rest + 1);
  } else {
    std::stable_sort(rest, objects.end(), less);
    std::inplace_merge(objects.begin(), rest, objects.end(), less);
  }
  objects.erase(std::unique(objects.begin(), objects.end(), same), objects.end());
  sorted_ = objects.size();
}

void ObjectOrder::clear() {
  emitted_.clear();
  sorted_ = 0;
}

// --- stacks and messages

bool StackParts::add(const StackRecord& record) {
  if (record.count > StackRecord::kCapacity) return false;
  for (unsigned i = 0; i < record.count && stack_.size() < kMaxStackDepth; ++i) stack_.push_back(record.sites[i]);
  return true;
}

void StackParts::take_to(std::vector<std::vector<Site>>& stacks, std::size_t index) {
  if (stack_.empty()) return;
  stacks.resize(index + 1);
  stacks[index] = take();
}

void MessageParts::begin(const std::vector<ExecutionMessage>& messages) {
  open_ = false;
  bytes_ = 0;
  for (const ExecutionMessage& message : messages) bytes_ += static_cast<std::uint32_t>(message.text.size());
}

void MessageParts::add(std::vector<ExecutionMessage>& messages, const MessageRecord& record, std::uint32_t step,
                       std::uint32_t limit) {
  if (open_ && (message_.kind != record.message || message_.task != record.task)) flush(messages);
  if (!open_) {
    message_ = {record.message, record.task, step, {}};
    open_ = true;
  }
  const std::uint32_t taken = std::min<std::uint32_t>(record.count, limit - bytes_);
  message_.text.append(record.text, taken);
  bytes_ += taken;
  if (record.last != 0) flush(messages);
}

void MessageParts::flush(std::vector<ExecutionMessage>& messages) {
  if (!open_) return;
  messages.push_back(std::move(message_));
  message_ = {};
  open_ = false;
}

// --- begin and end

void damage(Execution& execution, const char* what) {
  if (execution.damaged) return;
  execution.damaged = true;
  const auto step = static_cast<std::uint32_t>(execution.steps.size());
  std::string text = "what was recorded is damaged after step " + std::to_string(step) + ": " + what +
                     "; most likely the program wrote into memory that is not its own";
  execution.messages.push_back({MessageKind::Note, kNoTask, step, std::move(text)});
}

void ExecutionBuilder::clear() {
  if (execution_ == nullptr) execution_ = std::make_unique<Execution>();
  execution_->clear();
  objects_.clear();
}

void ExecutionBuilder::forget_seen() {
  states_seen_ = 0;
  gates_seen_ = false;
  flags_seen_ = 0;
}

void ExecutionBuilder::truncate(const RecordCounts& kept) {
  if (kept.steps == 0) execution_->kept_of = 0;
  execution_->kept_steps = kept.steps;
  execution_->kept_changes = kept.changes;
  execution_->steps.resize(kept.steps);
  execution_->changes.resize(kept.changes);
  execution_->landmarks.truncate(kept.changes);
  execution_->tasks.resize(kept.tasks);
  objects_.truncate(execution_->objects, kept.objects);
}

void ExecutionBuilder::extend(const Prefix& prefix, const RecordCounts& from) {
  prefix.append(from, *execution_, [this](const ObjectRecord& object) { add(object); });
  execution_->landmarks.extend(execution_->changes);
}

void ExecutionBuilder::extend_prefix(Prefix& prefix) {
  objects_.sort(execution_->objects);
  prefix.extend(*execution_, objects_.emitted());
}

void ExecutionBuilder::begin(PlanId plan) {
  stack_.take();
  messages_.begin(execution_->messages);
  execution_->plan = plan;
}

void ExecutionBuilder::finish(const EndRecord& record) {
  messages_.flush(execution_->messages);
  objects_.sort(execution_->objects);
  if (!execution_->stacks.empty()) execution_->stacks.resize(execution_->steps.size());
  if (!execution_->pending_stacks.empty()) execution_->pending_stacks.resize(execution_->pending.size());
  execution_->states_seen = states_seen_;
  execution_->gates_seen = gates_seen_;
  execution_->step_flags_seen = static_cast<std::uint8_t>(flags_seen_);
  execution_->end = record;
  if (record.end > EndKind::GoodSamaritan) {
    damage(*execution_, "its end is of no known kind");
    execution_->end.end = EndKind::Killed;
  }
  const auto steps = static_cast<std::uint32_t>(execution_->steps.size());
  if (record.loop_from >= steps && record.loop_from != 0) damage(*execution_, "its loop begins behind its end");
  execution_->end.steps = steps;
}

// --- many records at once

std::size_t ExecutionBuilder::take_ordinary(const Record* records, std::size_t count) {
  if (!stack_.empty()) return 0;
  const auto has_room = [this] {
    return execution_->steps.size() + kBatch <= limits_.steps &&
           execution_->changes.size() + kBatch * ChangesRecord::kCapacity <= limits_.changes;
  };
  std::size_t taken = 0;
  while (taken < count && has_room()) {
    const std::size_t batch = std::min(count - taken, kBatch);
    const std::size_t fit = take_batch(records + taken, batch);
    taken += fit;
    if (fit < batch) break;
  }
  return taken;
}

std::size_t ExecutionBuilder::take_batch(const Record* records, std::size_t count) {
  auto& steps = execution_->steps;
  auto& changes = execution_->changes;
  StepRecord* step = steps.room_for(count);
  StateChange* change = changes.room_for(count * ChangesRecord::kCapacity);
  const StepRecord* const first = steps.data();
  const std::uint32_t tasks = limits_.tasks;
  std::uint64_t seen = states_seen_;
  unsigned flags = flags_seen_;
  bool gates = gates_seen_;
  const Record* record = records;
  for (; record != records + count; ++record) {
    if (record->kind == RecordKind::Step) {
      *step = read_as<StepRecord>(*record);
      if (step->task >= tasks || !known(step->operation)) break;
      flags |= flags_to_see(*step);
      ++step;
    } else {
      if (record->kind != RecordKind::Changes) break;
      StateChange* const end =
          take_changes(*record, static_cast<std::uint32_t>(step - first), tasks, change, seen, gates);
      if (end == nullptr) break;
      change = end;
    }
  }
  states_seen_ = seen;
  flags_seen_ = flags;
  gates_seen_ = gates;
  steps.ends_at(step);
  changes.ends_at(change);
  if (changes.size() >= execution_->landmarks.due()) execution_->landmarks.extend(changes);
  return static_cast<std::size_t>(record - records);
}

// --- one record

void ExecutionBuilder::add(const Record& record) {
  switch (record.kind) {
    case RecordKind::Changes:
      return add(read_as<ChangesRecord>(record));
    case RecordKind::Task:
      return add(read_as<TaskRecord>(record));
    case RecordKind::Object:
      return add(read_as<ObjectRecord>(record));
    case RecordKind::Step:
      return add(read_as<StepRecord>(record));
    case RecordKind::Stack:
      return add(read_as<StackRecord>(record));
    case RecordKind::Message:
      return add(read_as<MessageRecord>(record));
    case RecordKind::Pending:
      return add(read_as<PendingRecord>(record));
    case RecordKind::Race:
      return add(read_as<RaceRecord>(record));
    default:
      damage(*execution_, "a record is of no known kind");
  }
}

void ExecutionBuilder::add(const ChangesRecord& record) {
  if (record.count > ChangesRecord::kCapacity) return damage(*execution_, "a list of changes is too long");
  const auto step = static_cast<std::uint32_t>(execution_->steps.size());
  if (execution_->changes.size() >= limits_.changes) return damage(*execution_, "it has too many changes");
  for (unsigned i = 0; i < record.count; ++i) {
    const auto& change = record.changes[i];
    if (change.task >= limits_.tasks && !(names_gate(change.task) && change.yields == 0))
      return damage(*execution_, "a change names a thread that can't be");
    execution_->changes.push_back({step, change.task, change.state, change.yields});
    states_seen_ |= bit_of_state(change.state);
    gates_seen_ |= names_gate(change.task);
  }
  if (execution_->changes.size() >= execution_->landmarks.due()) execution_->landmarks.extend(execution_->changes);
}

void ExecutionBuilder::add(const TaskRecord& record) {
  if (record.task >= limits_.tasks) return damage(*execution_, "a thread's number can't be");
  if (record.task >= execution_->tasks.size()) execution_->tasks.resize(record.task + 1u);
  execution_->tasks[record.task] = record;
}

void ExecutionBuilder::add(const ObjectRecord& record) {
  if (record.object == kNoObject || record.object_kind > kLastObjectKind)
    return damage(*execution_, "an object can't be");
  std::vector<ObjectRecord>& objects = execution_->objects;
  if (objects.size() >= limits_.objects) return damage(*execution_, "it has too many objects");
  objects_.add(objects, record);
}

void ExecutionBuilder::add(const StepRecord& record) {
  if (record.task >= limits_.tasks || !known(record.operation)) return damage(*execution_, "a step can't be");
  if (execution_->steps.size() >= limits_.steps) return damage(*execution_, "it has too many steps");
  stack_.take_to(execution_->stacks, execution_->steps.size());
  execution_->steps.push_back(record);
  flags_seen_ |= flags_to_see(record);
}

void ExecutionBuilder::add(const StackRecord& record) {
  if (!stack_.add(record)) damage(*execution_, "a call stack is too long");
}

void ExecutionBuilder::add(const MessageRecord& record) {
  if (record.count > MessageRecord::kCapacity || record.message > MessageKind::ToldApart)
    return damage(*execution_, "a message can't be");
  if (execution_->messages.size() >= limits_.messages) return damage(*execution_, "it has too many messages");
  messages_.add(execution_->messages, record, static_cast<std::uint32_t>(execution_->steps.size()),
                limits_.message_bytes);
}

void ExecutionBuilder::add(const PendingRecord& record) {
  if (record.task >= limits_.tasks || !known(record.operation))
    return damage(*execution_, "a pending operation can't be");
  if (execution_->pending.size() >= limits_.tasks) return damage(*execution_, "it has too many pending operations");
  stack_.take_to(execution_->pending_stacks, execution_->pending.size());
  execution_->pending.push_back(record);
}

void ExecutionBuilder::add(const RaceRecord& record) {
  if (record.task >= limits_.tasks || record.step > execution_->steps.size())
    return damage(*execution_, "a race can't be");
  if ((record.flags & RaceFlags::Later) == 0) {
    race_ = {record, {}, stack_.take(), {}};
    return;
  }
  if (execution_->races.size() >= limits_.races) return damage(*execution_, "it has too many races");
  race_.later = record;
  race_.later_stack = stack_.take();
  execution_->races.push_back(std::move(race_));
}

}  // namespace heddle

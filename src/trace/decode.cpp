// See decode.h.
#include "trace/decode.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle {
namespace {

constexpr std::size_t kMaxStackDepth = 256;

template <typename Kind>
Kind read_as(const Record& record) {
  static_assert(sizeof(Kind) == sizeof(Record));
  Kind result;
  std::memcpy(static_cast<void*>(&result), &record, sizeof result);
  return result;
}

bool known(OperationKind kind) { return kind < OperationKind::Count; }

std::uint16_t count_preemptions(const Execution& execution) {
  return static_cast<std::uint16_t>(std::count_if(execution.steps.begin(), execution.steps.end(), [](const auto& step) {
    return (step.flags & StepFlags::Preemption) != 0;
  }));
}

}  // namespace

bool ExecutionDecoder::feed(const Record& record) {
  if (record.kind == RecordKind::Begin) {
    begin(read_as<BeginRecord>(record));
    return false;
  }
  if (!open_) return false;  // the rest of something whose Begin was lost
  if (++records_ > limits_.records && record.kind != RecordKind::End) {
    damage("it has too many records");
    return false;
  }
  switch (record.kind) {
    case RecordKind::Changes:
      add_changes(read_as<ChangesRecord>(record));
      break;
    case RecordKind::Task:
      add_task(read_as<TaskRecord>(record));
      break;
    case RecordKind::Object:
      add_object(read_as<ObjectRecord>(record));
      break;
    case RecordKind::Step:
      add_step(read_as<StepRecord>(record));
      break;
    case RecordKind::Stack:
      add_stack(read_as<StackRecord>(record));
      break;
    case RecordKind::Message:
      add_message(read_as<MessageRecord>(record));
      break;
    case RecordKind::Pending:
      add_pending(read_as<PendingRecord>(record));
      break;
    case RecordKind::End:
      finish(read_as<EndRecord>(record));
      break;
    default:
      damage("a record is of no known kind");
  }
  return complete_;
}

Execution ExecutionDecoder::take() {
  complete_ = false;
  return std::exchange(execution_, Execution());
}

void ExecutionDecoder::reuse(Execution&& execution) {
  if (open_ || complete_) return;
  execution.clear();
  execution_ = std::move(execution);
}

void ExecutionDecoder::close(const EndRecord& end) {
  if (!open_) return;
  EndRecord full = end;
  full.steps = static_cast<std::uint32_t>(execution_.steps.size());
  full.tasks = static_cast<std::uint16_t>(execution_.tasks.size());
  full.preemptions = count_preemptions(execution_);
  if (full.task == kNoTask && !execution_.steps.empty()) full.task = execution_.steps.back().task;
  finish(full);
}

void ExecutionDecoder::reset() {
  execution_.clear();
  open_ = complete_ = message_open_ = false;
  objects_sorted_ = true;
  stack_.clear();
}

void ExecutionDecoder::begin(const BeginRecord& record) {
  reset();
  open_ = true;
  records_ = message_bytes_ = 0;
  execution_.plan = record.plan;
}

void ExecutionDecoder::add_changes(const ChangesRecord& record) {
  if (record.count > ChangesRecord::kCapacity) return damage("a list of changes is too long");
  const auto step = static_cast<std::uint32_t>(execution_.steps.size());
  if (execution_.changes.size() >= limits_.changes) return damage("it has too many changes");
  for (unsigned i = 0; i < record.count; ++i) {
    const auto& change = record.changes[i];
    if (change.task >= limits_.tasks) return damage("a change names a thread that can't be");
    execution_.changes.push_back({step, change.task, change.state});
  }
}

void ExecutionDecoder::add_task(const TaskRecord& record) {
  if (record.task >= limits_.tasks) return damage("a thread's number can't be");
  if (record.task >= execution_.tasks.size()) execution_.tasks.resize(record.task + 1u);
  execution_.tasks[record.task] = record;
}

void ExecutionDecoder::add_object(const ObjectRecord& record) {
  if (record.object == kNoObject || record.object_kind > ObjectKind::Futex) return damage("an object can't be");
  if (execution_.objects.size() >= limits_.objects) return damage("it has too many objects");
  objects_sorted_ = objects_sorted_ && (execution_.objects.empty() || execution_.objects.back().object < record.object);
  execution_.objects.push_back(record);
}

void ExecutionDecoder::add_step(const StepRecord& record) {
  if (record.task >= limits_.tasks || !known(record.operation)) return damage("a step can't be");
  if (execution_.steps.size() >= limits_.steps) return damage("it has too many steps");
  take_stack(execution_.stacks, execution_.steps.size());
  execution_.steps.push_back(record);
}

void ExecutionDecoder::add_stack(const StackRecord& record) {
  if (record.count > StackRecord::kCapacity) return damage("a call stack is too long");
  for (unsigned i = 0; i < record.count && stack_.size() < kMaxStackDepth; ++i) stack_.push_back(record.sites[i]);
}

void ExecutionDecoder::add_message(const MessageRecord& record) {
  if (record.count > MessageRecord::kCapacity || record.message > MessageKind::Effect)
    return damage("a message can't be");
  if (execution_.messages.size() >= limits_.messages) return damage("it has too many messages");
  if (message_open_ && (message_.kind != record.message || message_.task != record.task)) flush_message();
  if (!message_open_) {
    message_ = {record.message, record.task, static_cast<std::uint32_t>(execution_.steps.size()), {}};
    message_open_ = true;
  }
  const std::uint32_t room = limits_.message_bytes - message_bytes_;
  const std::uint32_t taken = std::min<std::uint32_t>(record.count, room);
  message_.text.append(record.text, taken);
  message_bytes_ += taken;
  if (record.last != 0) flush_message();
}

void ExecutionDecoder::add_pending(const PendingRecord& record) {
  if (record.task >= limits_.tasks || !known(record.operation)) return damage("a pending operation can't be");
  if (execution_.pending.size() >= limits_.tasks) return damage("it has too many pending operations");
  take_stack(execution_.pending_stacks, execution_.pending.size());
  execution_.pending.push_back(record);
}

void ExecutionDecoder::finish(const EndRecord& record) {
  if (message_open_) flush_message();
  if (!objects_sorted_) sort_objects();
  if (!execution_.stacks.empty()) execution_.stacks.resize(execution_.steps.size());
  if (!execution_.pending_stacks.empty()) execution_.pending_stacks.resize(execution_.pending.size());
  execution_.end = record;
  if (record.end > EndKind::Effect) {
    damage("its end is of no known kind");
    execution_.end.end = EndKind::Killed;
  }
  // A process that died between counting a step and writing it leaves one less; a refused step is written and not
  // counted.
  const auto steps = static_cast<std::uint32_t>(execution_.steps.size());
  const bool near = record.steps == steps || record.steps == steps + 1 || record.steps + 1 == steps;
  if (!near) damage("steps are missing");
  execution_.end.steps = steps;
  open_ = false;
  complete_ = true;
}

// The stack collected so far belongs to entry `index`; entries before it that had none get an empty one.
void ExecutionDecoder::take_stack(std::vector<std::vector<Site>>& stacks, std::size_t index) {
  if (stack_.empty()) return;
  stacks.resize(index + 1);
  stacks[index] = std::exchange(stack_, {});
}

void ExecutionDecoder::sort_objects() {
  auto& objects = execution_.objects;
  std::stable_sort(objects.begin(), objects.end(), [](const auto& a, const auto& b) { return a.object < b.object; });
  const auto same = [](const auto& a, const auto& b) { return a.object == b.object; };
  objects.erase(std::unique(objects.begin(), objects.end(), same), objects.end());
  objects_sorted_ = true;
}

void ExecutionDecoder::flush_message() {
  execution_.messages.push_back(std::move(message_));
  message_ = {};
  message_open_ = false;
}

void ExecutionDecoder::damage(const char* what) {
  if (execution_.damaged) return;
  execution_.damaged = true;
  const auto step = static_cast<std::uint32_t>(execution_.steps.size());
  std::string text = "what was recorded is damaged after step " + std::to_string(step) + ": " + what +
                     "; most likely the program wrote into memory that is not its own";
  execution_.messages.push_back({MessageKind::Note, kNoTask, step, std::move(text)});
}

}  // namespace heddle

// The part of decode.h that nearly all records go through: steps and changes of state, many at once.
#include <algorithm>

#include "trace/decode.h"
#include "trace/read_record.h"

namespace heddle {
namespace {

constexpr std::size_t kBatch = 64;  // records that room is made for at once

// Writes all of the record to `change`, and returns where that ends; or null.
[[gnu::always_inline]] inline StateChange* take_changes(const Record& record, std::uint32_t step, std::uint32_t tasks,
                                                        StateChange* change, std::uint64_t& seen) {
  const auto list = read_as<ChangesRecord>(record);
  if (list.count > ChangesRecord::kCapacity) return nullptr;
  std::uint64_t states = 0;
  for (unsigned i = 0; i < list.count; ++i) {
    const ChangesRecord::Change one = list.changes[i];
    if (one.task >= tasks) return nullptr;
    *change++ = {step, one.task, one.state};
    states |= bit_of_state(one.state);
  }
  seen |= states;
  return change;
}

}  // namespace

// Nearly all records are steps and changes of state. Takes them up to the first that is something else, or makes no
// sense; returns how many it took. Does the same as add(), where no limit is near.
std::size_t ExecutionDecoder::take_ordinary(const Record* records, std::size_t count) {
  if (!open_ || following_ || !stack_.empty()) return 0;
  std::size_t taken = 0;
  while (taken < count && room_for(kBatch)) {
    const std::size_t batch = std::min(count - taken, kBatch);
    const std::size_t fit = take_batch(records + taken, batch);
    taken += fit;
    if (fit < batch) break;
  }
  return taken;
}

bool ExecutionDecoder::room_for(std::size_t records) const {
  return records_ + records <= limits_.records && execution_->steps.size() + records <= limits_.steps &&
         execution_->changes.size() + records * ChangesRecord::kCapacity <= limits_.changes;
}

std::size_t ExecutionDecoder::take_batch(const Record* records, std::size_t count) {
  auto& steps = execution_->steps;
  auto& changes = execution_->changes;
  StepRecord* step = steps.room_for(count);
  StateChange* change = changes.room_for(count * ChangesRecord::kCapacity);
  const StepRecord* const first = steps.data();
  const std::uint32_t tasks = limits_.tasks;
  std::uint64_t seen = states_seen_;
  unsigned flags = flags_seen_;
  const Record* record = records;
  for (; record != records + count; ++record) {
    if (record->kind == RecordKind::Step) {
      *step = read_as<StepRecord>(*record);
      if (step->task >= tasks || !known(step->operation)) break;
      flags |= flags_to_see(*step);
      ++step;
    } else {
      if (record->kind != RecordKind::Changes) break;
      StateChange* const end = take_changes(*record, static_cast<std::uint32_t>(step - first), tasks, change, seen);
      if (end == nullptr) break;
      change = end;
    }
  }
  states_seen_ = seen;
  flags_seen_ = flags;
  steps.ends_at(step);
  changes.ends_at(change);
  if (changes.size() >= execution_->landmarks.due()) execution_->landmarks.extend(changes);
  const auto taken = static_cast<std::size_t>(record - records);
  records_ += static_cast<std::uint32_t>(taken);
  return taken;
}

}  // namespace heddle

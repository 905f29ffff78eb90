// Accesses to memory that are operations: they can always take effect, unless the task spins (spinning.h).
#include "model/object_model.h"
#include "model/spinning.h"
#include "protocol/time_slice.h"

namespace heddle::model {
namespace {

// In histories: whatever memory there is. Counts all changes.
constexpr ObjectId kAnyMemory = kNoObject;

// What the history of this read names.
ObjectId read_object(const Operation& read) {
  const bool one_piece = read.object2 == kNoObject && read.kind != OperationKind::MemoryRangeRead;
  return one_piece ? read.object : kAnyMemory;
}

// Since this read of the history, has nothing changed of what was read?
bool is_unchanged_since(const World& world, const ReadHistory& history, const ReadHistory::Entry& entry) {
  for (std::uint32_t i = 0; i < history.count; ++i) {
    const ReadHistory::Entry& other = history.entries[i];
    if (other.visit >= entry.visit && world.object(other.object).memory.changes != other.changes) return false;
  }
  return true;
}

ReadHistory::Entry* find(ReadHistory& history, Site site, ObjectId object) {
  for (std::uint32_t i = 0; i < history.count; ++i)
    if (history.entries[i].site == site && history.entries[i].object == object) return &history.entries[i];
  return nullptr;
}

// The entry that the task would repeat with this read; null: it would learn something, or has done other things since.
const ReadHistory::Entry* repeated_entry(const World& world, TaskId id, Site site, ObjectId object) {
  ReadHistory* history = world.task(id).reads;
  if (history == nullptr || history->count == 0 || history->too_long) return nullptr;
  if (history->last_step != world.schedule().fairness().last_step_of(id)) return nullptr;
  const ReadHistory::Entry* entry = find(*history, site, object);
  return entry != nullptr && entry->changes == world.object(object).memory.changes ? entry : nullptr;
}

struct MemoryRead {
  Site site;
  ObjectId object;
  std::uint64_t state;  // Operation::argument
};

bool enabled(const World& world, const Task& task) { return !waits_for_a_change(world, task); }

// The task has read, and changed nothing. What that does to its history depends on its own reads only, and on whether
// what it reads has changed since it read that last: not on what else has changed meanwhile.
void remember(World& world, TaskId id, const MemoryRead& read) {
  Task& task = world.task(id);
  if (task.reads == nullptr) task.reads = world.population().add_history();
  ReadHistory& history = *task.reads;
  const std::uint32_t changes = world.object(read.object).memory.changes;
  if (history.last_step != world.schedule().fairness().last_step_of(id)) history.forget();
  ReadHistory::Entry* entry = find(history, read.site, read.object);
  const bool learned = entry != nullptr && entry->changes != changes;
  if (learned && history.too_long) {
    history.forget();
    entry = nullptr;
  }
  history.last_step = world.schedule().steps().count();
  history.yields = 0;
  if (history.free_reads != 0) history.hopeless = --history.free_reads == 0;
  if (learned) {
    history.repeated = history.free_reads = 0;
    history.hopeless = false;
  } else if (entry != nullptr) {
    ++history.repeated;
  }
  if (entry != nullptr) {
    *entry = {read.site, read.object, changes, ++history.visits, learned ? 0 : read.state};
  } else if (history.count == ReadHistory::kCapacity) {
    history.too_long = true;
  } else {
    history.entries[history.count++] = {read.site, read.object, changes, ++history.visits, 0};
  }
}

// Of what a range is written over nobody has a list: whoever has read anything may find something else there.
void note_change_of_range(World& world) {
  for (std::uint32_t id = 0; id < world.population().task_count(); ++id)
    if (ReadHistory* history = world.task(static_cast<TaskId>(id)).reads; history != nullptr) history->forget();
}

void note_change(World& world, TaskId id, ObjectId object, ObjectId object2) {
  ++world.object(object).memory.changes;
  if (object2 != kNoObject) ++world.object(object2).memory.changes;
  ++world.object(kAnyMemory).memory.changes;
  if (ReadHistory* history = world.task(id).reads; history != nullptr) history->forget();
  reevaluate_spinning(world);
}

// An old value says nothing of what the next read finds: nobody waits for a change because of it.
void note_stale(World& world, TaskId id) {
  world.schedule().steps().add_stale();
  if (ReadHistory* history = world.task(id).reads; history != nullptr) history->forget();
}

std::uint16_t variants(const World& world, const Task& task) {
  return ways_of_access(world, id_of(world, task), *task.pending.access);
}

Effect apply(World& world, TaskId id, Variant variant) {
  const Operation& operation = world.task(id).pending;  // stays as it is until the task asks for something else
  MemoryAccess& access = *operation.access;
  access.variant = variant;
  access.perform(access);
  if (variant != 0) {
    note_stale(world, id);
  } else if (access.changed) {
    if (is_of_range(operation.kind)) note_change_of_range(world);
    note_change(world, id, operation.object, operation.object2);
  } else {
    remember(world, id, {operation.site, read_object(operation), operation.argument});
  }
  return {.result = access.value, .wrote = access.wrote, .released = access.wrote};
}

}  // namespace

std::uint16_t ways_of_access(const World& world, TaskId id, const MemoryAccess& access) {
  WeakMemory* const memory = world.weak_memory;
  const bool weak = memory != nullptr && access.atomic != nullptr && world.schedule().is_branching() &&
                    world.schedule().steps().stale() < world.schedule().limits().stale;
  return weak ? memory->variants(id, *access.atomic) : std::uint16_t{1};
}

bool others_ran_since(const World& world, TaskId id, std::uint32_t step) {
  for (std::uint32_t other = 0; other < world.population().task_count(); ++other)
    if (other != id && world.schedule().fairness().last_step_of(static_cast<TaskId>(other)) > step) return true;
  return false;
}

void access_at_once(World& world, TaskId id, Site site, ObjectId object, MemoryAccess& access) {
  access.variant = 0;
  access.perform(access);
  if (access.changed)
    note_change(world, id, object, kNoObject);
  else
    remember(world, id, {site, object, 0});
}

bool would_repeat(const World& world, TaskId id, Site site, ObjectId object) {
  return repeated_entry(world, id, site, object) != nullptr;
}

bool would_repeat(const World& world, TaskId id, const Operation& operation) {
  return repeated_entry(world, id, operation.site, read_object(operation)) != nullptr;
}

bool waits_for_a_change(const World& world, const Task& task) {
  if (object_kind(task.pending.kind) != ObjectKind::Memory || task.reads == nullptr) return false;
  // Without a state it has not been there before.
  if (task.pending.argument == 0 || task.reads->free_reads != 0) return false;
  const ReadHistory::Entry* entry =
      repeated_entry(world, id_of(world, task), task.pending.site, read_object(task.pending));
  return entry != nullptr && entry->state == task.pending.argument && is_unchanged_since(world, *task.reads, *entry);
}

bool yields(const World& world, TaskId id) {
  const Task& task = world.task(id);
  return task.reads != nullptr && task.reads->repeated >= ReadHistory::kPatience &&
         object_kind(task.pending.kind) == ObjectKind::Memory &&
         repeated_entry(world, id, task.pending.site, read_object(task.pending)) != nullptr;
}

bool consecutive_reads(const World& world, TaskId id) {
  const ReadHistory* history = world.task(id).reads;
  return history != nullptr && history->count + history->repeated > 1 &&
         history->last_step == world.schedule().fairness().last_step_of(id);
}

std::uint32_t reads_in_vain(const World& world, TaskId id) {
  const ReadHistory* history = world.task(id).reads;
  if (history == nullptr || history->count == 0 || history->last_step != world.schedule().fairness().last_step_of(id))
    return 0;
  return history->repeated > ReadHistory::kPatience ? history->repeated - ReadHistory::kPatience : 0;
}

bool yields_patiently(const World& world, TaskId id) {
  const Task& task = world.task(id);
  const ReadHistory* history = task.reads;
  if (task.pending.argument == kPatientYield || task.pending.argument == kStoppedBehind) return true;
  if (history == nullptr || history->count == 0 || task.pending.argument == kEndOfSlice) return false;
  const Fairness& fairness = world.schedule().fairness();
  if (fairness.steps_of(id) - history->own_steps_at_yield > ReadHistory::kLongRound) return false;
  return history->last_step == fairness.last_step_of(id) && history->repeated < ReadHistory::kPatience &&
         history->yields < ReadHistory::kPatience && history->patient_yields < ReadHistory::kPatience;
}

void yield_keeps_history(World& world, TaskId id) {
  ReadHistory* history = world.task(id).reads;
  if (history == nullptr) return;
  history->own_steps_at_yield = world.schedule().fairness().steps_of(id);
  if (history->last_step != world.schedule().fairness().last_step_of(id)) return;
  const bool alone = !others_ran_since(world, id, history->last_patient_yield);
  history->patient_yields = alone ? history->patient_yields + 1 : 1;
  history->last_patient_yield = history->last_step = world.schedule().steps().count();
  ++history->yields;
}

void clock_read_keeps_history(World& world, TaskId id) {
  ReadHistory* history = world.task(id).reads;
  if (history != nullptr && history->last_step == world.schedule().fairness().last_step_of(id))
    history->last_step = world.schedule().steps().count();
}

void reevaluate_spinning(World& world) {
  const Population& population = world.population();
  if (!population.any_histories()) return;
  // What is enabled stays so: what a task has read does not become again what it was.
  for (std::uint32_t i = 0; i < population.task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    const Task& task = population.task(id);
    if (task.reads != nullptr && task.published && (task.state & TaskState::Enabled) == 0) world.reevaluate(id);
  }
}

bool release_spinning(World& world) {
  if (!world.population().any_histories()) return false;
  for (std::uint32_t i = 0; i < world.population().task_count(); ++i) {
    const auto id = static_cast<TaskId>(i);
    Task& task = world.task(id);
    if (!task.published || task.reads == nullptr || task.reads->hopeless) continue;
    if (!waits_for_a_change(world, task)) continue;
    task.reads->free_reads = ReadHistory::kFreeReads;
    world.reevaluate(id);
    return true;
  }
  return false;
}

const ObjectModel kMemoryModel = {enabled, variants, apply, never_spurious};

}  // namespace heddle::model

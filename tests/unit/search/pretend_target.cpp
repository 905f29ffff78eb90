// See pretend_target.h.
#include "search/pretend_target.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "model/choices.h"
#include "model/interrupts.h"
#include "model/outside.h"
#include "model/sleep_set.h"
#include "protocol/time_slice.h"

namespace heddle::test {
namespace {

constexpr unsigned kAllDescriptors = 99;  // the second object of calls on descriptors

// The model's memory, one run at a time. The blocks are used again: mapping fresh ones would take ten times as long as
// all the rest. Small programs touch only the beginning of each, so no more needs to be cleared.
class Arena {
 public:
  void restart() { next_ = 0; }
  void* allocate(std::size_t bytes) {
    if (next_ == blocks_.size()) blocks_.push_back(map(bytes));
    void* memory = blocks_[next_++];
    std::memset(memory, 0, std::min(bytes, kTouched));
    return memory;
  }

 private:
  static constexpr std::size_t kTouched = 32 * 1024;
  static void* map(std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  std::vector<void*> blocks_;
  std::size_t next_ = 0;
};
Arena arena;

void* allocate(std::size_t bytes) { return arena.allocate(bytes); }

}  // namespace

std::string Program::text() const {
  std::string result;
  for (const auto& calls : tasks) {
    result += "[";
    for (const Call& call : calls)
      result += std::string(call.only_if == Call::If::Zero      ? "if 0: "
                            : call.only_if == Call::If::NotZero ? "if not: "
                                                                : "") +
                (call.in_region || call.site != 0 ? "scoped " : "") + name(call.kind) + " " +
                std::to_string(call.object) +
                (call.kind == OperationKind::ProcessExit ? "." + std::to_string(call.argument) : "") +
                (weak ? "/" + std::to_string(static_cast<int>(call.order)) : "") +
                (object_kind(call.kind) == ObjectKind::Memory || call.kind == OperationKind::DescriptorWrite
                     ? " " + std::to_string(call.object2) + "->" + std::to_string(call.argument)
                     : "") +
                (call.deadline != kNoDeadline ? " until " + std::to_string(call.deadline) : "") + "; ";
    result += "] ";
  }
  return result +
         (limits.early_timeouts()                ? "early timeouts "
          : limits.timeouts == Timeouts::Ordered ? "ordered timeouts "
                                                 : "") +
         (limits.spurious_wakeups != 0 ? "spurious wake-ups" : "");
}

std::string text(const Schedule& schedule) {
  std::string result;
  for (const Choice& choice : schedule) {
    result += std::to_string(choice.task);
    if (choice.variant == kTimeout) {
      result += "t";
    } else if (choice.variant == kSpurious) {
      result += "s";
    } else if (choice.variant != 0) {
      result += "." + std::to_string(choice.variant);
    }
    result += " ";
  }
  return result;
}

namespace {

void perform(model::MemoryAccess& access_) {
  auto& access = static_cast<PretendAccess&>(access_);
  const std::int32_t before = *access.word;
  std::int32_t after = before;
  access.wrote = access.changed = false;
  if (access.kind == OperationKind::AtomicStore) after = access.written;
  if (access.kind == OperationKind::AtomicUpdate) after = before + access.written;
  if (access.kind == OperationKind::AtomicCompareExchange && before == access.expected) after = access.written;
  access.changed = after != before;
  // As the runtime has it: an update that leaves the value as it was is a read.
  access.wrote = access.kind == OperationKind::AtomicUpdate            ? access.changed
                 : access.kind == OperationKind::AtomicCompareExchange ? before == access.expected
                                                                       : access.kind == OperationKind::AtomicStore;
  *access.word = after;
  access.value = after;
}

// Memory of --memory=rc11, one run at a time, and what its stores have come to: they are told apart by their values, so
// each is stored once.
struct PretendWeakMemory {
  PretendWeakMemory() {
    const auto reserve = [](std::size_t bytes) {
      return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    };
    EXPECT_TRUE(clocks.make_room(reserve));
    memory = model::WeakMemory::create(reserve, clocks, MemoryModel::Rc11);
  }
  void begin(std::size_t tasks) {
    EXPECT_TRUE(clocks.begin_execution());
    memory->begin_execution();
    for (auto& list : stores) list.clear();
    for (std::size_t task = 1; task < tasks; ++task) clocks.add_task(static_cast<TaskId>(task), 0);
  }
  // Where in modification order it stands: an update stays directly behind what it has read.
  void note(unsigned location, std::int32_t value, bool update, Variant variant) {
    auto& list = stores[location];
    std::size_t at = list.size();
    while (variant != 0)
      if (!list[--at].update) --variant;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), {value, update});
  }

  struct Store {
    std::int32_t value;
    bool update;
  };
  model::VectorClocks clocks;
  model::WeakMemory* memory = nullptr;
  std::vector<Store> stores[kWords];  // in modification order
};
PretendWeakMemory& weak() {
  static PretendWeakMemory memory;
  return memory;
}

void look(model::AtomicUse& use) {
  use.present[0] = static_cast<std::uint32_t>(*reinterpret_cast<const std::int32_t*>(use.address));
}

// As WeakUse::perform() does, and what follows it in the task.
void perform_weak(model::MemoryAccess& access_) {
  auto& access = static_cast<PretendAccess&>(access_);
  model::AtomicUse& use = access.use;
  const Variant variant = access.variant;
  access.wrote = access.changed = false;
  if (access.kind == OperationKind::AtomicFence) {
    access.wrote = true;
    return weak().memory->sequential_fence(access.task);
  }
  const bool succeeds =
      access.kind == OperationKind::AtomicUpdate ||
      (access.kind == OperationKind::AtomicCompareExchange && variant == 0 && *access.word == access.expected);
  const std::int32_t before = *access.word;
  if (access.kind == OperationKind::AtomicStore) {
    weak().memory->store(access.task, use, variant);
  } else if (succeeds) {
    use.found[0] = static_cast<std::uint32_t>(before);
    *access.word = access.written;
    weak().memory->update(access.task, use, use.operand);
  } else {
    weak().memory->load(access.task, use, variant);
  }
  if (access.kind == OperationKind::AtomicStore && variant == 0) *access.word = access.written;
  access.wrote = succeeds || access.kind == OperationKind::AtomicStore;
  access.changed = *access.word != before;
  access.value = access.kind == OperationKind::AtomicStore ? access.written : static_cast<std::int32_t>(use.found[0]);
  if (access.wrote) weak().note(access.location, access.written, succeeds, variant);
  weak().memory->order(access.task, use);
}

model::AtomicUse::Kind kind_of_use(OperationKind kind) {
  using Kind = model::AtomicUse::Kind;
  return kind == OperationKind::AtomicLoad     ? Kind::Load
         : kind == OperationKind::AtomicStore  ? Kind::Store
         : kind == OperationKind::AtomicUpdate ? Kind::Update
                                               : Kind::CompareExchange;
}

}  // namespace

Run::Run(const Program& program)
    : program_(program),
      position_(program.tasks.size(), 0),
      stopped_(program.tasks.size(), false),
      accesses_(program.tasks.size()),
      seen_(program.tasks.size()) {
  arena.restart();
  world_ = model::World::create(allocate, program.limits);
  for (std::size_t i = 1; i < program.tasks.size(); ++i) world_->add_task(0, 0, 0);
  for (unsigned i = 0; i < 2; ++i) {
    for (const ObjectKind kind : {ObjectKind::Mutex, ObjectKind::Condition, ObjectKind::Semaphore, ObjectKind::RwLock,
                                  ObjectKind::SpinLock, ObjectKind::Memory, ObjectKind::Descriptor})
      objects_[{kind, i}] = world_->population().add_object(kind, 0, 0, 0);
  }
  objects_[{ObjectKind::Descriptor, kAllDescriptors}] =
      world_->population().add_object(ObjectKind::Descriptor, 0, 0, 0);
  for (unsigned i = 0; i < 2; ++i)
    objects_[{ObjectKind::Once, i}] = world_->population().add_object(ObjectKind::Once, 0, 0, 0);
  if (program.weak) begin_weak();
  world_->schedule().begin_branching();
  for (std::size_t i = 0; i < program.tasks.size(); ++i) publish_next(static_cast<TaskId>(i));
}

void Run::begin_weak() {
  weak().begin(program_.tasks.size());
  world_->weak_memory = weak().memory;
  for (unsigned i = 2; i <= kWords; ++i)
    objects_[{ObjectKind::Memory, i}] = world_->population().add_object(ObjectKind::Memory, 0, 0, 0);
}

void Run::fill_weak(TaskId task, const Call& call, PretendAccess& access) {
  access.perform = perform_weak;
  access.task = task;
  access.sequential = call.order == AtomicOrder::SequentiallyConsistent;
  if (call.kind == OperationKind::AtomicFence) return;
  model::AtomicUse& use = access.use;
  use.look = look;
  use.address = reinterpret_cast<std::uintptr_t>(&memory_[call.object]);
  use.size = sizeof(std::int32_t);
  use.kind = kind_of_use(call.kind);
  use.order = call.order;
  use.failure_order = call.order == AtomicOrder::Release          ? AtomicOrder::Relaxed
                      : call.order == AtomicOrder::AcquireRelease ? AtomicOrder::Acquire
                                                                  : call.order;
  use.expected[0] = call.object2;
  use.operand[0] = call.argument;
  access.atomic = &use;
}

// Other fences than those of memory_order_seq_cst are no steps.
void Run::skip_local_fences(TaskId task) {
  for (const Call* call = call_of(task); call != nullptr && call->kind == OperationKind::AtomicFence &&
                                         call->order != AtomicOrder::SequentiallyConsistent;
       call = call_of(task)) {
    if (acquires(call->order)) weak().clocks.acquire_fence(task);
    if (releases(call->order)) weak().clocks.release_fence(task);
    ++position_[task];
  }
}

void Run::skip_what_does_not_apply(TaskId task) {
  const auto applies = [&](const Call& call) {
    const std::int32_t before = seen_[task].empty() ? 0 : seen_[task].back();
    return call.only_if == Call::If::Always || (before == 0) == (call.only_if == Call::If::Zero);
  };
  while (call_of(task) != nullptr && !applies(*call_of(task))) ++position_[task];
}

model::Operation Run::operation_of(TaskId task) {
  model::Operation operation;
  const Call* call = call_of(task);
  if (call == nullptr) {
    operation.kind = OperationKind::ThreadExit;
    operation.object = world_->task(task).thread;
    return operation;
  }
  operation.kind = call->kind;
  if (object_kind(call->kind) != ObjectKind::None) operation.object = objects_[{object_kind(call->kind), call->object}];
  if (call->kind == OperationKind::ThreadJoin)
    operation.object = world_->task(static_cast<TaskId>(call->object)).thread;
  if (call->kind == OperationKind::ConditionWait) operation.object2 = objects_[{ObjectKind::Mutex, call->object2}];
  if (call->kind == OperationKind::Choose || call->kind == OperationKind::Yield) operation.argument = call->argument;
  operation.deadline = call->deadline;
  if (object_kind(call->kind) == ObjectKind::Descriptor)
    operation.object2 = objects_[{ObjectKind::Descriptor, kAllDescriptors}];
  if (call->kind == OperationKind::DescriptorRead && pipes_[call->object].empty())
    operation.argument = model::kNotReady;
  if (object_kind(call->kind) != ObjectKind::Memory) return operation;
  PretendAccess& access = accesses_[task];
  access = {};
  access.perform = perform;
  access.kind = call->kind;
  access.word = &memory_[call->object];
  access.expected = static_cast<std::int32_t>(call->object2);
  access.written = static_cast<std::int32_t>(call->argument);
  access.location = call->object;
  if (program_.weak) fill_weak(task, *call, access);
  operation.access = &access;
  operation.site = position_[task];
  operation.argument = position_[task] + 1;  // all of the task's state, apart from what it has read
  return operation;
}

void Run::publish_next(TaskId task) {
  skip_what_does_not_apply(task);
  skip_local_fences(task);
  world_->publish(task, operation_of(task));
}

void Run::stop_behind(TaskId task) {
  EXPECT_EQ(model::take_interruption(world_->task(task)), model::Interruption::Stopped);
  stopped_[task] = true;
  model::Operation stop;
  stop.kind = OperationKind::Yield;
  stop.argument = kStoppedBehind;
  world_->publish(task, stop);
}

std::string Run::state() const {
  std::vector<TaskId> numbers(program_.tasks.size());
  std::iota(numbers.begin(), numbers.end(), TaskId{0});
  std::string least = state_as(numbers);
  if (!program_.alike) return least;
  const auto exchanges_alike = [&] {
    for (TaskId task = 0; task < numbers.size(); ++task)
      if (program_.first_like(task) != program_.first_like(numbers[task])) return false;
    return true;
  };
  while (std::next_permutation(numbers.begin(), numbers.end()))
    if (exchanges_alike()) least = std::min(least, state_as(numbers));
  return least;
}

TaskId Program::first_like(TaskId task) const {
  if (task == 0) return 0;
  TaskId first = 1;
  while (!(tasks[first] == tasks[task])) ++first;
  return first;
}

std::string Run::state_as(const std::vector<TaskId>& numbers) const {
  const auto number = [&](TaskId task) { return std::to_string(task < numbers.size() ? numbers[task] : task); };
  std::string result = "memory";
  for (const std::int32_t word : memory_) result += " " + std::to_string(word);
  for (const auto& [named, id] : objects_) {
    const model::Object& object = world_->object(id);
    result += ", ";
    if (named.first == ObjectKind::Descriptor && named.second < std::size(pipes_))
      for (const std::int32_t value : pipes_[named.second]) result += std::to_string(value) + " ";
    if (named.first == ObjectKind::Mutex) result += number(object.mutex.owner);
    if (named.first == ObjectKind::Semaphore) result += std::to_string(object.semaphore.value);
    if (named.first == ObjectKind::RwLock)
      result += number(object.rwlock.writer) + "/" + std::to_string(object.rwlock.readers);
    if (named.first == ObjectKind::Once) result += object.once.done ? "done" : number(object.once.runner);
    if (named.first == ObjectKind::SpinLock) result += number(object.spinlock.owner);
    if (named.first != ObjectKind::Condition) continue;
    for (TaskId id = object.condition.waiters.first; id != kNoTask; id = world_->task(id).queue_next)
      result += number(id) + " ";
  }
  for (const auto& stores : weak().stores) {
    if (!program_.weak) break;
    result += ", in order";
    for (const auto& store : stores) result += " " + std::to_string(store.value);
  }
  std::vector<std::string> saw(numbers.size());
  for (TaskId task = 0; task < numbers.size(); ++task)
    for (const std::int32_t value : seen_[task]) saw[numbers[task]] += " " + std::to_string(value);
  for (const std::string& values : saw) result += "; saw" + values;
  return result;
}

// What the runtime's task does behind its step.
void Run::perform_on_pipe(const Call& call, model::Effect& effect) {
  auto& pipe = pipes_[call.object];
  std::int32_t seen = effect.timed_out ? -1 : 0;
  if (call.kind == OperationKind::DescriptorWrite) pipe.push_back(static_cast<std::int32_t>(call.argument));
  if (call.kind == OperationKind::DescriptorWait) seen = static_cast<std::int32_t>(pipe.size());
  if (call.kind == OperationKind::DescriptorRead && !effect.timed_out) {
    seen = pipe.front();
    pipe.erase(pipe.begin());
  }
  effect.result = seen;
  tell_who_can_read();
}

void Run::tell_who_can_read() {
  for (TaskId task = 0; task < program_.tasks.size(); ++task) {
    const Call* const call = call_of(task);
    if (call == nullptr || call->kind != OperationKind::DescriptorRead || world_->task(task).ended) continue;
    model::set_ready(*world_, task, !pipes_[call->object].empty());
  }
}

std::uint8_t Run::marks_of(TaskId task) const {
  const model::Operation& pending = world_->task(task).pending;
  if (pending.kind != OperationKind::ProcessExit) return model::marks_of_step(*world_, pending, early_timeouts());
  return call_of(task)->argument == kHandlersFollow ? std::uint8_t{0} : std::uint8_t{StepMarks::RunsNothing};
}

model::Effect Run::step(Choice choice) {
  model::Effect effect = world_->step(choice);
  if (stopped_[choice.task]) {
    stopped_[choice.task] = false;
    publish_next(choice.task);
    return effect;
  }
  const Call* const call = call_of(choice.task);
  if (call != nullptr && call->kind == OperationKind::ProcessExit && call->argument == kEnds) {
    ended_by_ = choice.task;
    return effect;
  }
  if (effect.completes && call != nullptr && object_kind(call->kind) == ObjectKind::Descriptor) {
    const std::int32_t recorded = effect.result;
    perform_on_pipe(*call, effect);
    seen_[choice.task].push_back(effect.result);
    ++position_[choice.task];
    publish_next(choice.task);
    effect.result = recorded;  // what the call gives is no part of the record
    return effect;
  }
  if (!effect.completes || effect.misuse != nullptr || position_[choice.task] >= program_.tasks[choice.task].size())
    return effect;
  if (call->loop != 0 && effect.result == 0) {
    position_[choice.task] -= call->loop - 1;
  } else {
    seen_[choice.task].push_back(effect.result);
    ++position_[choice.task];
  }
  choice.variant == kStop ? stop_behind(choice.task) : publish_next(choice.task);
  return effect;
}

std::vector<Choice> Run::choices() {
  std::vector<Choice> result;
  for (TaskId task = 0; task < program_.tasks.size(); ++task) {
    for (Variant variant = 0; variant < model::variants(*world_, task); ++variant) result.push_back({task, variant});
    result.push_back({task, kTimeout});
    result.push_back({task, kSpurious});
  }
  std::erase_if(result, [&](Choice choice) { return !model::allowed(*world_, choice); });
  return result;
}

namespace {

void record_changes(model::World& world, Execution& execution) {
  model::Changes::Change change;
  while (world.schedule().changes().take(world.population(), change)) {
    const auto step = static_cast<std::uint32_t>(execution.steps.size());
    execution.changes.push_back({step, change.task, change.state, change.yields});
    execution.states_seen |= bit_of_state(change.state);
  }
}

std::uint8_t flags_of(const model::Decision& decision, bool preempts) {
  return static_cast<std::uint8_t>(
      (decision.switch_costs ? StepFlags::SwitchCosts : 0) | (preempts ? StepFlags::Preemption : 0) |
      (decision.nothing_enabled ? StepFlags::NothingEnabled : 0) | (decision.yielded ? StepFlags::Yielded : 0));
}

model::Effect record_step(Run& run, const model::Decision& decision, Choice choice, Execution& execution) {
  StepRecord step;
  const model::Operation pending = run.world().task(choice.task).pending;
  step.operation = pending.kind;
  step.object = pending.object;
  step.object2 = pending.object2;
  step.task = choice.task;
  step.variant = choice.variant;
  step.variants = model::variants(run.world(), choice.task);
  step.eligible = decision.eligible;
  step.flags = flags_of(decision, model::cost(run.world(), decision, choice) != 0);
  if (const Call* call = run.call_of(choice.task)) step.site = call->site;
  if (const Call* call = run.call_of(decision.last); decision.switch_costs && call != nullptr && call->in_region)
    step.flags |= StepFlags::Unpreemptible;
  step.marks = run.marks_of(choice.task);
  const model::Effect effect = run.step(choice);
  step.result = effect.result;
  if (effect.wrote && effect.misuse == nullptr) step.flags |= StepFlags::Wrote;
  if (effect.released) step.flags |= StepFlags::Released;
  if (effect.misuse != nullptr) step.flags |= StepFlags::Refused;
  execution.steps.push_back(step);
  execution.end.end = effect.misuse != nullptr ? EndKind::Misuse : EndKind::None;
  return effect;
}

void record_pending(Run& run, Execution& execution) {
  for (TaskId task = 0; task < run.world().population().task_count(); ++task) {
    const model::Task& state = run.world().task(task);
    if (state.ended || task == run.ended_by()) continue;
    PendingRecord pending;
    pending.operation = state.pending.kind;
    pending.state = state.state;
    pending.task = task;
    pending.object = state.pending.object;
    pending.object2 = state.pending.object2;
    pending.marks = run.marks_of(task);
    execution.pending.push_back(pending);
  }
}

// As the runtime records them, with the first task as the one that has made the others.
void record_tasks(const Program& program, Run& run, Execution& execution) {
  for (TaskId task = 0; task < program.tasks.size(); ++task) {
    TaskRecord record;
    record.task = task;
    record.parent = task != 0 ? TaskId{0} : kNoTask;
    record.object = run.world().task(task).thread;
    if (const TaskId first = program.first_like(task); first != task) record.like = first;
    execution.tasks.push_back(record);
  }
}

void finish(Run& run, EndKind kind, Execution& execution) {
  execution.end.end = kind;
  execution.end.steps = static_cast<std::uint32_t>(execution.steps.size());
  execution.end.preemptions = static_cast<std::uint16_t>(run.world().schedule().steps().preemptions());
  execution.end.task = execution.steps.empty() ? TaskId{0} : execution.steps.back().task;
  execution.output = run.state();
  record_pending(run, execution);
}

// What may follow `schedule` within the bound; nothing when it has ended, and then it is added to `found`.
std::vector<Choice> choices_after(const Program& program, const Schedule& schedule, unsigned bound,
                                  std::map<std::string, unsigned>& found) {
  Run run(program);
  for (const Choice choice : schedule) {
    run.decide();
    run.step(choice);
  }
  const unsigned spent = run.world().schedule().steps().preemptions();
  if (run.is_over()) {
    found[text(schedule)] = spent;
    return {};
  }
  const model::Decision decision = run.decide();
  if (decision.status == model::Decision::Status::Deadlock) {
    found[text(schedule)] = spent;
    return {};
  }
  std::vector<Choice> affordable = run.choices();
  const Call* last = run.call_of(decision.last);
  if (decision.switch_costs && last != nullptr && (last->in_region || last->site == kUnpreemptibleSite))
    std::erase_if(affordable, [&](Choice choice) { return choice.task != decision.last; });
  std::erase_if(affordable, [&](Choice choice) { return spent + model::cost(run.world(), decision, choice) > bound; });
  return affordable;
}

// Ends `schedule` in every possible way.
void enumerate_below(const Program& program, Schedule& schedule, unsigned bound, std::size_t most,
                     std::map<std::string, unsigned>& found) {
  if (found.size() >= most) return;
  for (const Choice choice : choices_after(program, schedule, bound, found)) {
    schedule.push_back(choice);
    enumerate_below(program, schedule, bound, most, found);
    schedule.pop_back();
  }
}

}  // namespace

Execution execute(const Program& program, const Plan& plan, std::uint32_t max_steps) {
  Run run(program);
  run.world().schedule().be_fair(program.limits.fair && plan.fair);
  Execution execution;
  if (program.alike) record_tasks(program, run, execution);
  execution.plan = plan.id;
  execution.states_seen = execution.step_flags_seen = 0;
  std::size_t next_delta = 0;
  model::SleepSet sleep;
  // Policies that draw are the runtime's own; here all of them draw any choice.
  const bool draws = !has_trait(plan.policy, PolicyTrait::Determined) && !has_trait(plan.policy, PolicyTrait::Orders);
  std::mt19937_64 draw(plan.for_policy.empty() ? 0 : plan.for_policy[0]);
  for (;;) {
    for (std::size_t i = 0; i < policy_items<PolicyKind::Awake>(plan); ++i)
      if (const Sleeper sleeper = policy_item<PolicyKind::Awake>(plan, i); sleeper.step == execution.steps.size())
        sleep.add(run.world(), sleeper);
    if (run.is_over()) return finish(run, EndKind::Exited, execution), execution;
    const model::Decision decision = run.decide();
    if (decision.status == model::Decision::Status::Deadlock)
      return finish(run, EndKind::Deadlock, execution), execution;
    record_changes(run.world(), execution);
    Choice choice = decision.choice;
    if (next_delta < plan.deltas.size() && plan.deltas[next_delta].step == execution.steps.size())
      choice = plan.deltas[next_delta++].choice;
    else if (!sleep.empty() && !model::choose_awake(run.world(), decision, sleep, choice))
      return finish(run, EndKind::Asleep, execution), execution;
    if (const std::vector<Choice> all = run.choices(); draws && !all.empty()) choice = all[draw() % all.size()];
    if (has_trait(plan.policy, PolicyTrait::Orders) && choice.variant == 0)
      choice = model::going_on(run.world(), choice.task);
    if (!model::allowed(run.world(), choice)) {
      const bool waits = has_trait(plan.policy, PolicyTrait::Orders) && choice.variant == 0 &&
                         object_kind(run.world().task(choice.task).pending.kind) == ObjectKind::Descriptor;
      return finish(run, waits ? EndKind::Asleep : EndKind::Diverged, execution), execution;
    }
    const model::Effect effect = record_step(run, decision, choice, execution);
    const StepRecord& made = execution.steps.back();
    execution.step_flags_seen |= static_cast<std::uint8_t>(flags_to_see(made));
    const model::StepTaken taken{made.operation, made.object, made.object2, made.marks};
    sleep.on_step(made.task, model::access_of_step(taken, choice, effect, run.early_timeouts()));
    if (execution.end.end == EndKind::Misuse) return finish(run, EndKind::Misuse, execution), execution;
    if (execution.steps.size() >= max_steps) return finish(run, EndKind::StepLimit, execution), execution;
  }
}

Schedule schedule_of(const Execution& execution) {
  Schedule schedule;
  for (const StepRecord& step : execution.steps) schedule.push_back({step.task, step.variant});
  return schedule;
}

std::map<std::string, unsigned> enumerate(const Program& program, unsigned bound, std::size_t most) {
  std::map<std::string, unsigned> found;
  Schedule schedule;
  enumerate_below(program, schedule, bound, most, found);
  if (found.size() >= most) found.clear();
  return found;
}

}  // namespace heddle::test

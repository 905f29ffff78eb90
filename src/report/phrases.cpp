// The wording of steps; see phrases.h.
#include "report/phrases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <string_view>

#include "analysis/interpreter_lock.h"
#include "protocol/interpreter.h"
#include "protocol/time_slice.h"

namespace heddle {
namespace {

// "{}" stands for the object.
struct Phrase {
  OperationKind operation;
  const char* does;
  const char* to_do;
};

using K = OperationKind;
constexpr Phrase kPhrases[] = {
    {K::None, "does nothing", "go on"},
    {K::ThreadStart, "starts", "start"},
    {K::ThreadCreate, "creates {}", "create {}"},
    {K::ThreadCreated, "has created {}", "go on after creating {}"},
    {K::ThreadJoin, "joins {}", "join {}"},
    {K::ThreadTryJoin, "tries to join {}", "try to join {}"},
    {K::ThreadDetach, "detaches {}", "detach {}"},
    {K::ThreadExit, "ends", "end"},
    {K::ProcessExit, "goes on to end the process", "go on to end the process"},
    {K::ThreadCancel, "cancels {}", "cancel {}"},
    {K::CancelArrive, "follows the cancellation", "follow the cancellation"},
    {K::CancelPoint, "looks whether it is cancelled", "look whether it is cancelled"},
    {K::SignalSend, "sends {signal} to {}", "send a signal to {}"},
    {K::SignalArrive, "gets {signal}", "get a signal"},
    {K::SignalMask, "changes which signals it blocks", "change which signals it blocks"},
    {K::ThreadInvalid, "uses a pthread_t of no thread", "use a pthread_t of no thread"},
    {K::SignalAction, "changes what a signal does", "change what a signal does"},
    {K::SignalPending, "looks which signals have come", "look which signals have come"},
    {K::SignalWait, "takes a signal", "wait for a signal"},
    {K::SignalSuspend, "begins to wait for a signal handler", "wait for a signal handler"},
    {K::SignalSuspended, "goes on after a signal handler", "wait for a signal handler"},
    {K::TimerExpire, "expires", "expire"},
    {K::TimerSet, "sets or deletes {}", "set or delete {}"},
    {K::TimerRead, "reads {}", "read {}"},
    {K::ProcessFork, "forks a child process", "fork a child process"},
    {K::ProcessStart, "starts a process", "start a process"},
    {K::ProcessWait, "has waited for a child process", "wait for a child process"},
    {K::MutexLock, "locks {}", "lock {}"},
    {K::MutexTryLock, "tries to lock {}", "try to lock {}"},
    {K::MutexUnlock, "unlocks {}", "unlock {}"},
    {K::MutexReacquire, "wakes up and locks {} again", "lock {} again"},
    {K::MutexDestroy, "destroys {}", "destroy {}"},
    {K::ConditionWait, "begins to wait on {}", "wait on {}"},
    {K::ConditionWake, "wakes up from {}", "wake up from {}"},
    {K::ConditionRejoin, "goes on waiting on {}", "go on waiting on {}"},
    {K::ConditionSignal, "signals {}", "signal {}"},
    {K::ConditionBroadcast, "broadcasts {}", "broadcast {}"},
    {K::ConditionDestroy, "destroys {}", "destroy {}"},
    {K::ReadLock, "read-locks {}", "read-lock {}"},
    {K::TryReadLock, "tries to read-lock {}", "try to read-lock {}"},
    {K::WriteLock, "write-locks {}", "write-lock {}"},
    {K::TryWriteLock, "tries to write-lock {}", "try to write-lock {}"},
    {K::RwUnlock, "unlocks {}", "unlock {}"},
    {K::RwDestroy, "destroys {}", "destroy {}"},
    {K::SemaphoreWait, "takes one from {}", "take one from {}"},
    {K::SemaphoreTryWait, "tries to take one from {}", "try to take one from {}"},
    {K::SemaphorePost, "posts {}", "post {}"},
    {K::SemaphoreGetValue, "reads the value of {}", "read the value of {}"},
    {K::SemaphoreName, "opens, closes or removes a named semaphore", "open, close or remove a named semaphore"},
    {K::SemaphoreDestroy, "destroys {}", "destroy {}"},
    {K::BarrierArrive, "arrives at {}", "arrive at {}"},
    {K::BarrierLeave, "goes on from {}", "go on from {}"},
    {K::BarrierRejoin, "goes on waiting at {}", "go on waiting at {}"},
    {K::BarrierDestroy, "destroys {}", "destroy {}"},
    {K::SpinLock, "locks {}", "lock {}"},
    {K::SpinTryLock, "tries to lock {}", "try to lock {}"},
    {K::SpinUnlock, "unlocks {}", "unlock {}"},
    {K::SpinDestroy, "destroys {}", "destroy {}"},
    {K::OnceBegin, "comes to the one-time initialization {}", "come to the one-time initialization {}"},
    {K::OnceEnd, "has finished the one-time initialization {}", "finish the one-time initialization {}"},
    {K::OnceAbort, "leaves the one-time initialization {} by an exception", "leave the one-time initialization {}"},
    {K::FutexWait, "begins to wait on {}", "wait on {}"},
    {K::FutexWoken, "goes on from {}", "go on from {}"},
    {K::FutexWake, "wakes waiters of {}", "wake waiters of {}"},
    {K::FutexRequeue, "wakes or moves waiters of {}", "wake or move waiters of {}"},
    {K::FutexWakeOperation, "changes a word and wakes waiters of {}", "change a word and wake waiters of {}"},
    {K::FutexLock, "comes to lock {}", "lock {}"},
    {K::FutexLocked, "has been given {}", "be given {}"},
    {K::FutexTryLock, "tries to lock {}", "try to lock {}"},
    {K::FutexUnlock, "unlocks {}", "unlock {}"},
    {K::DescriptorRead, "reads from {}", "read from {}"},
    {K::DescriptorWrite, "writes to {}", "write to {}"},
    {K::DescriptorWait, "polls {}", "poll {}"},
    {K::DescriptorOpen, "opens {}", "open {}"},
    {K::DescriptorControl, "acts on {}", "act on {}"},
    {K::DescriptorLock, "locks {}", "lock {}"},
    {K::DescriptorUnlock, "unlocks {}", "unlock {}"},
    {K::Choose, "chooses", "choose"},
    {K::Initialize, "initializes {}", "initialize {}"},
    {K::ObjectFree, "frees the memory of {}", "free the memory of {}"},
    {K::KeyDelete, "deletes a key of thread-local values", "delete a key of thread-local values"},
    {K::AtomicLoad, "loads {}", "load {}"},
    {K::AtomicStore, "stores to {}", "store to {}"},
    {K::AtomicUpdate, "updates {}", "update {}"},
    {K::AtomicCompareExchange, "compares and exchanges {}", "compare and exchange {}"},
    {K::AtomicFence, "makes a fence (memory_order_seq_cst)", "make a fence (memory_order_seq_cst)"},
    {K::MemoryRead, "reads {}", "read {}"},
    {K::MemoryWrite, "writes {}", "write {}"},
    {K::MemoryRangeRead, "reads {} and what lies behind it", "read {} and what lies behind it"},
    {K::MemoryRangeWrite, "writes {} and what lies behind it", "write {} and what lies behind it"},
    {K::MemoryFree, "frees {}", "free {}"},
    {K::ProgramPoint, "is about to access {}", "access {}"},
    {K::LibraryCall, "calls a library that synchronizes by {}", "call a library that synchronizes by {}"},
    {K::Yield, "yields", "yield"},
    {K::Sleep, "sleeps", "sleep"},
    {K::ClockRead, "looks at the clock", "look at the clock"},
};
static_assert(std::size(kPhrases) == static_cast<std::size_t>(K::Count), "every operation needs its phrase");

const Phrase& phrase(OperationKind operation) {
  const auto found =
      std::find_if(std::begin(kPhrases), std::end(kPhrases), [&](const Phrase& p) { return p.operation == operation; });
  return found == std::end(kPhrases) ? kPhrases[0] : *found;
}

// Puts the object in the place of "{}" and the signal in that of "{signal}".
Prose filled(std::string_view text, const Prose& object, const std::string& signal = "a signal") {
  Prose result;
  for (auto open = text.find('{'); open != text.npos; open = text.find('{')) {
    const auto close = text.find('}', open);
    result += std::string(text.substr(0, open));
    result += close == open + 1 ? object : Prose(signal);
    text.remove_prefix(close + 1);
  }
  return result + std::string(text);
}

std::string signal_name(int number) {
  if (number >= SIGRTMIN && number <= SIGRTMAX) return fmt::format("SIGRTMIN+{}", number - SIGRTMIN);
  const char* name = sigabbrev_np(number);
  return name == nullptr ? "a signal" : fmt::format("SIG{}", name);
}

// The wait that it interrupts is the second object.
bool interrupts(OperationKind operation) { return operation == K::SignalArrive || operation == K::CancelArrive; }

bool wakes_others(OperationKind operation) {
  return operation == K::ConditionSignal || operation == K::ConditionBroadcast || operation == K::FutexWake;
}

bool begins_wait(const StepRecord& step) {
  return (step.operation == K::ConditionWait || step.operation == K::ConditionRejoin ||
          step.operation == K::FutexWait) &&
         step.result == 0;
}

bool ends_wait(const StepRecord& step) {
  return step.operation == K::ConditionWake || step.operation == K::MutexReacquire || step.operation == K::FutexWoken ||
         interrupts(step.operation);
}

// Takes out of `waiting` those whom a wake of several has chosen.
std::vector<TaskId> take_chosen(std::vector<TaskId>& waiting, std::size_t count, Variant variant) {
  const auto size = static_cast<std::uint32_t>(waiting.size());
  const bool first_ones = ways_to_choose(size, static_cast<std::uint32_t>(count)) == 1;
  const std::uint32_t chosen = first_ones ? 0 : nth_way_to_choose(size, static_cast<std::uint32_t>(count), variant);
  std::vector<TaskId> taken, left;
  for (std::size_t i = 0; i < waiting.size(); ++i)
    ((first_ones ? i < count : (chosen >> i & 1) != 0) ? taken : left).push_back(waiting[i]);
  waiting = left;
  return taken;
}

std::string error_name(int number) {
  const char* name = strerrorname_np(number);
  return name == nullptr ? std::to_string(number) : name;
}

Prose returned(std::int32_t value) { return value_span(std::to_string(value)); }

Prose in_brackets(std::string error) { return prose(" ({})", value_span(std::move(error))); }

// Whose result is a value in memory.
bool is_access(K operation) {
  return object_kind(operation) == ObjectKind::Memory && operation != K::AtomicFence && operation != K::ProgramPoint &&
         operation != K::LibraryCall;
}

// What came of it.
Prose result_of(const StepRecord& step) {
  switch (step.operation) {
    case K::SemaphoreGetValue:
    case K::Choose:
      return prose(": {}", returned(step.result));
    case K::OnceBegin:
      return step.result == 0 ? ": it is done already" : ": it runs it";
    case K::BarrierArrive:
      return step.result == 0 ? ": others are missing" : ": all are there";
    case K::MutexTryLock:
    case K::FutexTryLock:
    case K::SpinTryLock:
    case K::TryReadLock:
    case K::TryWriteLock:
      if (step.result == 0) return ": it has it";
      return step.result == EBUSY ? Prose(": it is taken") : prose(": {}", value_span(error_name(step.result)));
    case K::FutexWake:
      return {};
    case K::DescriptorControl:
      return step.variants == 1  ? ""
             : step.variant == 0 ? ": a call that stands there has begun"
                                 : ": a call that stands there comes too late";
    case K::Yield:
      return step.result == kEndOfSlice ? ": it has run for very long without a step" : "";
    case K::FutexRequeue:
    case K::FutexWakeOperation:
      return step.result < 0 ? in_brackets(error_name(-step.result)) : prose(": {}", returned(step.result));
    case K::FutexWait:
      return step.result == EAGAIN ? ": no need, the value has changed" : "";
    case K::SignalSend:
      return step.result == -1 ? ", where it waits" : "";
    case K::SignalArrive:
      return step.result == EINTR ? ": its wait ends" : "";
    case K::CancelArrive:
    case K::ConditionRejoin:
    case K::SignalWait:
      return {};
    case K::MutexReacquire:
      return step.result == ETIMEDOUT ? " (its time was over)" : "";
    default:
      return step.result == 0 ? Prose() : in_brackets(error_name(step.result));
  }
}

}  // namespace

Phrases::Phrases(const Execution& execution, NameSource& names)
    : execution_(execution), names_(names), script_lock_(interpreter_lock(execution)), written_(execution) {
  find_wakes();
}

// Follows who waits on what: a signal has no record of whom it woke.
void Phrases::find_wakes() {
  std::map<ObjectId, std::vector<TaskId>> waiting;
  for (std::size_t i = 0; i < execution_.steps.size(); ++i) {
    const StepRecord& step = execution_.steps[i];
    if (begins_wait(step)) waiting[step.object].push_back(step.task);
    if (ends_wait(step))
      for (auto& [object, tasks] : waiting)
        tasks.erase(std::remove(tasks.begin(), tasks.end(), step.task), tasks.end());
    if (!wakes_others(step.operation)) continue;
    std::vector<TaskId>& tasks = waiting[step.object];
    const bool all = step.operation == K::ConditionBroadcast;
    const std::size_t first = all || step.variant >= tasks.size() ? 0 : step.variant;
    const std::size_t asked = step.operation == K::FutexWake ? static_cast<std::size_t>(std::max(step.result, 0)) : 1;
    if (!all && asked > 1) {
      woken_[i] = take_chosen(tasks, asked, step.variant);
      continue;
    }
    const std::size_t count = all ? tasks.size() : std::min(asked, tasks.size() - first);
    const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    woken_[i].assign(begin, end);
    tasks.erase(begin, end);
  }
}

const std::vector<TaskId>& Phrases::woken_by(std::size_t index) const {
  static const std::vector<TaskId> nobody;
  const auto found = woken_.find(index);
  return found == woken_.end() ? nobody : found->second;
}

bool Phrases::comes_to_line(std::size_t index) const {
  const StepRecord& step = execution_.steps[index];
  return step.object != kNoObject && step.object == script_lock_ && step.operation == K::MutexLock;
}

bool Phrases::in_vain(std::size_t index) const {
  return wakes_others(execution_.steps[index].operation) && woken_by(index).empty();
}

Prose Phrases::intention(OperationKind operation, const Prose& object) {
  if (object.text() == kInterpreterLock) return "run on";
  for (const Span& span : object.spans())
    if (span.kind == SpanKind::Object && is_wait_of_script(execution_, static_cast<ObjectId>(span.id))) return "go on";
  return filled(phrase(operation).to_do, object.empty() ? "a thread" : object);
}

Prose Phrases::ended_otherwise(const StepRecord& step) {
  const Prose object = step.object == kNoObject ? Prose() : names_.object(step.object);
  if (step.variant == kSpurious)
    return step.operation == K::ConditionWake || step.operation == K::FutexWoken
               ? prose("wakes up from {} for no reason (spurious wake-up)", object)
               : prose("fails to lock {} for no reason (spurious failure)", object);
  if (step.operation == K::ConditionWake || step.operation == K::FutexWoken || step.operation == K::FutexLocked)
    return prose("stops waiting on {}: its time is over", object);
  if (step.operation == K::TimerExpire) return phrase(K::TimerExpire).does;
  if (step.operation == K::Sleep) return "wakes up: its time is over";
  if (step.operation == K::ClockRead) return "is a second late when it looks at the clock";
  return prose("gives up to {}: its time is over", intention(step.operation, object));
}

Prose Phrases::wakes(std::size_t index) {
  const std::vector<TaskId>& woken = woken_by(index);
  if (woken.empty()) return ": nobody is waiting";
  Prose result;
  for (const TaskId task : woken) result += Prose(result.empty() ? ": wakes " : ", ") + names_.task(task);
  return result;
}

// The thread that a step creates is known only when the call returns.
Prose Phrases::object_of(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  if (step.operation != K::ThreadCreate || step.object != kNoObject) return names_.accessed(step);
  for (std::size_t i = index + 1; i < execution_.steps.size(); ++i) {
    const StepRecord& later = execution_.steps[i];
    if (later.task == step.task)
      return later.operation == K::ThreadCreated ? names_.object(later.object) : Prose("a thread");
  }
  return "a thread";
}

// Yields and futexes of the C++ library: what the user wrote is the call around them. Empty when there is none.
Prose Phrases::in_library_call(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  const Span call = call_span(names_.call_of_step(index));
  if (call.text.empty()) return {};
  switch (step.operation) {
    case K::Yield:
      return call.text.find("yield") != std::string::npos ? Prose() : prose("yields, in {}", call);
    case K::FutexWait:
      return prose("{} in {}", step.result == EAGAIN ? "need not wait" : "waits", call);
    case K::FutexWoken:
      return prose("goes on in {}", call);
    case K::FutexWake:
      return prose("wakes waiters, in {}{}", call, wakes(index));
    default:
      return {};
  }
}

std::string Phrases::value_at(std::size_t index) const {
  const StepRecord& step = execution_.steps[index];
  if (!is_access(step.operation)) return {};
  const ValueType& type = names_.type_of(step);
  if (step.operation == K::MemoryWrite) {
    const auto written = written_.of_step(index);
    return written ? type.text(written->value, written->size) : std::string();
  }
  // What does not fit into a result is not recorded (kNotShown, runtime/schedule/points.cpp).
  if (step.result == INT32_MIN) return type.kind == ValueType::Kind::Pointer ? "not null" : "";
  return type.is_known() ? type.text(static_cast<std::uint32_t>(step.result), type.bytes) : std::to_string(step.result);
}

// What is in memory behind an access.
Prose Phrases::value_of(std::size_t index) const {
  const StepRecord& step = execution_.steps[index];
  const bool wrote = (step.flags & StepFlags::Wrote) != 0;
  const bool compares = step.operation == K::AtomicCompareExchange;
  const char* const verb = !compares ? "" : wrote ? ": it is exchanged" : ": it differs";
  std::string value = value_at(index);
  if (value.empty()) return verb;
  const bool update = wrote && step.operation == K::AtomicUpdate;
  return prose("{}{}{}", verb, compares ? ", " : update ? ": now " : ": ", value_span(std::move(value)));
}

Prose Phrases::in_wait_of_script(const StepRecord& step) {
  const TaskId waiter = execution_.object(step.object)->task;
  if (step.operation == K::SemaphorePost && step.task != waiter) return prose("wakes {}", names_.task(waiter));
  return step.operation == K::SemaphoreTryWait && step.result != 0 ? "waits to be woken" : "goes on";
}

Prose Phrases::step(std::size_t index) {
  const StepRecord& step = execution_.steps[index];
  if (comes_to_line(index)) return "runs";
  if (step.object != kNoObject && step.object == script_lock_) return "pauses";
  if (step.variant == kTimeout || step.variant == kSpurious) return ended_otherwise(step);
  if (goes_on_behind_release(step)) return "goes on";
  Prose result = in_library_call(index);
  if (!result.empty()) return result;
  const bool to_process = step.operation == K::SignalSend && step.object == kNoObject;
  if (is_wait_of_script(execution_, step.object)) return in_wait_of_script(step);
  result = filled(phrase(step.operation).does, to_process ? Prose("the process") : object_of(index),
                  signal_name(step.signal));
  if (step.operation == K::ConditionWait && step.object2 != kNoObject && step.result == 0)
    result += prose(", unlocks {}", names_.object(step.object2));
  if (wakes_others(step.operation)) result += wakes(index);
  result += is_access(step.operation) ? value_of(index) : result_of(step);
  if (stops(step)) result += ", and stops after it";
  return result;
}

}  // namespace heddle

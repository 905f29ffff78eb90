// The words that stand for enumerators and flag bits in trace files and reports: one table each, read in both
// directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/plan.h"
#include "protocol/records.h"
#include "protocol/scripts.h"
#include "protocol/services.h"
#include "protocol/shared.h"
#include "protocol/timeouts.h"

namespace heddle {

template <typename Value>
struct Word {
  Value value;
  std::string_view text;
};

inline constexpr Word<CarrierKind> kCarrierWords[] = {{CarrierKind::Fiber, "fiber"}, {CarrierKind::Thread, "thread"}};
inline constexpr Word<IsolationKind> kIsolationWords[] = {
    {IsolationKind::Snapshot, "snapshot"}, {IsolationKind::Fork, "fork"}, {IsolationKind::Exec, "exec"}};
inline constexpr Word<Fill> kFillWords[] = {{Fill::Left, "left"}, {Fill::Zero, "zero"}, {Fill::Junk, "junk"}};
inline constexpr Word<Timeouts> kTimeoutsWords[] = {
    {Timeouts::Early, "early"}, {Timeouts::Late, "late"}, {Timeouts::Ordered, "ordered"}};
inline constexpr Word<PythonPoints> kPythonWords[] = {
    {PythonPoints::Line, "line"}, {PythonPoints::Opcode, "opcode"}, {PythonPoints::No, "no"}};
inline constexpr Word<MemoryModel> kMemoryModelWords[] = {
    {MemoryModel::Sc, "sc"}, {MemoryModel::Tso, "tso"}, {MemoryModel::Rc11, "rc11"}};
inline constexpr Word<ClockKind> kClockWords[] = {{ClockKind::Virtual, "virtual"}, {ClockKind::Real, "real"}};
#define HEDDLE_WORD(name, word, Item, traits) {PolicyKind::name, word},
inline constexpr Word<PolicyKind> kPolicyWords[] = {HEDDLE_POLICIES(HEDDLE_WORD)};
#undef HEDDLE_WORD
inline constexpr Word<MessageKind> kMessageWords[] = {{MessageKind::AssertionFailed, "assertion failed"},
                                                      {MessageKind::Misuse, "misuse"},
                                                      {MessageKind::TaskName, "task name"},
                                                      {MessageKind::Divergence, "divergence"},
                                                      {MessageKind::Note, "note"},
                                                      {MessageKind::Signal, "signal"},
                                                      {MessageKind::Effect, "effect"},
                                                      {MessageKind::MemoryOrigin, "memory origin"},
                                                      {MessageKind::MemoryName, "memory name"},
                                                      {MessageKind::Input, "input"},
                                                      {MessageKind::HeapFault, "heap fault"},
                                                      {MessageKind::Memory, "memory"},
                                                      {MessageKind::ToldApart, "told apart"}};
inline constexpr Word<EndKind> kEndWords[] = {
    {EndKind::None, "none"},         {EndKind::Exited, "exited"},
    {EndKind::Deadlock, "deadlock"}, {EndKind::StepLimit, "step limit"},
    {EndKind::Misuse, "misuse"},     {EndKind::Diverged, "diverged"},
    {EndKind::Killed, "killed"},     {EndKind::Crashed, "crashed"},
    {EndKind::Effect, "effect"},     {EndKind::Asleep, "asleep"},
    {EndKind::Livelock, "livelock"}, {EndKind::GoodSamaritan, "good samaritan violation"}};
inline constexpr Word<std::uint8_t> kStepFlagWords[] = {
    {StepFlags::SwitchCosts, "costs"},          {StepFlags::Preemption, "preemption"},
    {StepFlags::NothingEnabled, "idle"},        {StepFlags::Wrote, "wrote"},
    {StepFlags::Released, "released"},          {StepFlags::Yielded, "yielded"},
    {StepFlags::Unpreemptible, "unpreemptible"}};
inline constexpr Word<std::uint8_t> kTaskStateWords[] = {
    {TaskState::Enabled, "enabled"},   {TaskState::Eligible, "eligible"}, {TaskState::Timeout, "timeout"},
    {TaskState::Spurious, "spurious"}, {TaskState::Ended, "ended"},       {TaskState::Earliest, "earliest"},
    {kServiceState, "service"}};
inline constexpr Word<std::uint8_t> kRaceFlagWords[] = {{RaceFlags::Write, "write"},     {RaceFlags::Atomic, "atomic"},
                                                        {RaceFlags::Later, "later"},     {RaceFlags::Benign, "benign"},
                                                        {RaceFlags::Freed, "freed"},     {RaceFlags::Used, "used"},
                                                        {RaceFlags::Ordered, "ordered"}, {RaceFlags::Ended, "ended"}};
inline constexpr Word<Variant> kVariantWords[] = {{kTimeout, "timeout"}, {kSpurious, "spurious"}, {kStop, "stop"}};

template <typename Value, std::size_t kCount>
std::string_view word_for(const Word<Value> (&words)[kCount], Value value) {
  for (const auto& word : words)
    if (word.value == value) return word.text;
  return "unknown";
}

template <typename Value, std::size_t kCount>
std::optional<Value> value_of(const Word<Value> (&words)[kCount], std::string_view text) {
  for (const auto& word : words)
    if (word.text == text) return word.value;
  return {};
}

}  // namespace heddle

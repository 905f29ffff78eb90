// The operations on signals, for thread.cpp, which has the table's entry for them. See interrupts.cpp.
#pragma once

#include "model/world.h"

namespace heddle::model {

bool signal_operation_enabled(const World& world, const Task& task);
// SignalSend: how many threads a choice is between.
std::uint16_t signal_takers(const World& world, const Task& task);
// The result is the task that is to get it; -1: nobody yet (it waits for the process), -2: the thread has ended.
Effect send_signal(World& world, TaskId id, Variant variant);
Effect apply_signal_operation(World& world, TaskId id);

inline constexpr std::int32_t kForProcess = -1;
inline constexpr std::int32_t kNobody = -2;
// What SignalWait gives (or EINTR, ETIMEDOUT): this, the signal's number, and whether it is one of the process's.
inline constexpr std::int32_t kSignalTaken = 512;
inline constexpr std::int32_t kFromProcess = 256;

}  // namespace heddle::model

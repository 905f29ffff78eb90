// Why a search ended: one table, with the words for JSON reports and those for sentences.
#pragma once

#include <cstdint>

namespace heddle {

enum class StopReason : std::uint8_t {
  None,  // it has not
  Bug,
  Exhausted,
  Bound,  // the option that Report::limit names
  Time,
  Memory,
  Schedules,
  Interrupted,
  NothingToExplore,
  Error,
};

struct StopWords {
  StopReason reason;
  const char* name;  // in JSON, a promise
  const char* why;
};
inline constexpr StopWords kStopWords[] = {
    {StopReason::None, "", "the run stopped"},
    {StopReason::Bug, "bug", "the run stopped at the first bug"},
    {StopReason::Exhausted, "exhausted", "nothing is left to run"},
    {StopReason::Bound, "bound", "the bound was reached"},
    {StopReason::Time, "time", "the time was up"},
    {StopReason::Memory, "memory", "the memory that --memory-limit allows was used up"},
    {StopReason::Schedules, "schedules", "--max-schedules was reached"},
    {StopReason::Interrupted, "interrupted", "the run was interrupted"},
    {StopReason::NothingToExplore, "nothing_to_explore", "the run stopped: nothing_to_explore"},
    {StopReason::Error, "error", "the run stopped: error"},
};

constexpr const StopWords& words_of(StopReason reason) { return kStopWords[static_cast<unsigned>(reason)]; }
static_assert(
    [] {
      for (unsigned i = 0; i < sizeof kStopWords / sizeof *kStopWords; ++i)
        if (kStopWords[i].reason != static_cast<StopReason>(i)) return false;
      return words_of(StopReason::Error).reason == StopReason::Error;
    }(),
    "each reason needs its words, in the order of the enumerators");

}  // namespace heddle

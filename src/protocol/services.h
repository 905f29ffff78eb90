// Services: threads that go round by themselves, beside others that wait for ever (model/services.h). A deadlock may
// have some; then EndRecord::loop_from says since which step nobody but these has taken one.
#pragma once

#include "protocol/records.h"

namespace heddle {

// Of a Pending record, beside the bits of TaskState: the task is a service.
inline constexpr std::uint8_t kServiceState = 64;

// Did the execution end because it would go round for ever? What comes behind that was not run.
inline bool ended_in_loop(const EndRecord& end) {
  return end.end == EndKind::Livelock || end.end == EndKind::GoodSamaritan ||
         (end.end == EndKind::Deadlock && end.loop_from != 0);
}

// Places of timed waits stand in the SpinSet, with one of these in place of a period. A wait there does not end by its
// time for free while others can go on. Behind the second kind nobody is let go on, as the user says (--service);
// behind the third kind, as a schedule has shown that went on to the step limit.
inline constexpr std::uint32_t kTickPeriod = 0, kServicePeriod = UINT32_MAX, kSeenServicePeriod = UINT32_MAX - 1;
// So many steps of services alone, some of which nobody has declared, count as endless. Others may be let go on by what
// a service does after many rounds only, such as one that polls for minutes.
inline constexpr std::uint32_t kSeenServiceSteps = 65'536;

}  // namespace heddle

// Whose a plan is, by its id. Strategies count theirs from 1; each other kind of plan has a bit of its own.
#pragma once

#include "protocol/plan.h"

namespace heddle {

inline constexpr PlanId kReductionFlag = PlanId{1} << 59;     // explore/reduction.h
inline constexpr PlanId kContinuationFlag = PlanId{1} << 58;  // with kReductionFlag: explore/continuations.h
inline constexpr PlanId kOmissionFlag = PlanId{1} << 57;      // with kReductionFlag: explore/omissions.h
inline constexpr PlanId kSampleFlag = PlanId{1} << 60;        // explore/samples.h
inline constexpr PlanId kProbeFlag = PlanId{1} << 61;         // explore/first_schedule.h
inline constexpr PlanId kCheckFlag = PlanId{1} << 62;         // checks.h: seen by nobody above the executor

inline bool is_sample(PlanId plan) { return (plan & kSampleFlag) != 0; }
inline bool is_reduction(PlanId plan) { return (plan & kReductionFlag) != 0; }
inline bool is_continuation(PlanId plan) { return is_reduction(plan) && (plan & kContinuationFlag) != 0; }
inline bool is_omission(PlanId plan) { return is_reduction(plan) && (plan & kOmissionFlag) != 0; }
inline bool is_check(PlanId plan) { return (plan & kCheckFlag) != 0; }

}  // namespace heddle

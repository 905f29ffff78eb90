// See first_schedule.h.
#include "driver/explore/first_schedule.h"

#define XXH_INLINE_ALL  // header only
#include <xxhash.h>

#include "driver/execute/plan_ids.h"
#include "trace/assert.h"

namespace heddle {

std::uint64_t hash_of_steps(const Execution& execution) {
  std::uint64_t hash = XXH3_64bits(&execution.end.end, sizeof execution.end.end);
  for (const StepRecord& step : execution.steps) {
    const std::uint64_t fields[] = {
        step.task,    static_cast<std::uint64_t>(step.operation), step.variant, step.variants, step.object,
        step.object2, static_cast<std::uint64_t>(step.result)};
    hash = XXH3_64bits_withSeed(fields, sizeof fields, hash);
  }
  return hash;
}

void FirstSchedule::remember(const ExecutionFinished& event, bool randomized) {
  plan_.policy = event.plan.policy;
  plan_.for_policy = event.plan.for_policy;
  plan_.fair = event.plan.fair;
  plan_.slow_threads = event.plan.slow_threads;
  steps_ = hash_of_steps(*event.execution);
  randomized_ = randomized;
  example_ = *event.execution;
}

Plan FirstSchedule::take_probe() {
  HEDDLE_ASSERT(is_due(), "the probe is run once, when it is due");
  probe_ = Probe::Out;
  plan_.id = kProbeFlag;
  return plan_;
}

std::string FirstSchedule::compare_probe(const ExecutionFinished& event, bool randomized, bool deterministic) {
  probe_ = Probe::None;
  example_ = *event.execution;
  if (randomized_ != randomized)
    return "the search was kept where address randomization could " + std::string(randomized_ ? "not " : "") +
           "be switched off, and it is the other way round here: what it knows of places in the code does not hold. "
           "Without --resume the search begins anew";
  if (!deterministic || hash_of_steps(*event.execution) == steps_) return {};
  return "the program does not do what it did when the search was kept: its first schedule has other steps or another "
         "end now (have its libraries, its files or its environment changed?). Without --resume the search begins anew";
}

}  // namespace heddle

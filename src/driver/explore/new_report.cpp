// See new_report.h.
#include "driver/explore/new_report.h"

#include "trace/words.h"

namespace heddle {

Report new_report(const RunOptions& options) {
  const StrategyEntry& entry = *find_strategy(options.search);
  Report report;
  report.command = options.command;
  report.promise = entry.promise;
  report.limit = entry.limit;
  report.search = entry.name;
  report.carrier = word_for(kCarrierWords, options.carrier);
  report.seed = options.seed;
  report.input_seed = options.input_seed;
  report.start_at = options.start_at;
  report.timeouts = options.timeouts;
  report.real_clock = options.clock == ClockKind::Real;
  report.spurious_wakeups = options.spurious_wakeups;
  report.memory = options.memory;
  report.patched = options.patch;
  if (!entry.any_stale) report.max_stale = options.max_stale;
  report.max_steps = options.max_steps;
  for (const NoPreemptRule& rule : options.no_preempt) report.no_preempt.push_back(text_of(rule));
  return report;
}

}  // namespace heddle

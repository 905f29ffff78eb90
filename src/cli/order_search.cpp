// See order_search.h.
#include "cli/order_search.h"

#include <fmt/format.h>

#include "analysis/old_values.h"
#include "driver/process/interrupt.h"

namespace heddle::cli {

std::pair<Site, bool> order_key(const StepRecord& step) {
  return {step.site, step.operation == OperationKind::AtomicCompareExchange && !is_atomic_store(step)};
}

AtomicPlace atomic_place(const Execution& execution, std::size_t step, Names& names) {
  const StepRecord& record = execution.steps[step];
  return {record.site, record.operation, order_key(record).second, names.accessed(record).text,
          names.places().name_of_step(step).text};
}

std::string in_words(const AtomicPlace& place) {
  const char* const operation = place.failed                                   ? "failure order of the compare-exchange"
                                : place.operation == OperationKind::AtomicLoad ? "load"
                                : place.operation == OperationKind::AtomicStore ? "store"
                                                                                : "update";
  return fmt::format("the {} of {} at {}", operation, place.variable, place.text);
}

const char* order_name(const AtomicPlace& place, OrderChange to) {
  if (to == OrderChange::Sequential) return "seq_cst";
  if (to == OrderChange::Relaxed) return "relaxed";
  if (place.failed || place.operation == OperationKind::AtomicLoad) return "acquire";
  return place.operation == OperationKind::AtomicStore ? "release" : "acq_rel";
}

OrderSearch::Result OrderSearch::run(const Target& target, const RunOptions& of_program,
                                     std::vector<ChangedOrder> changed, Observer& observer) const {
  constexpr double kLeast_s = 0.05;
  Result result;
  const double left = std::chrono::duration<double>(end - Clock::now()).count();
  result.ran_out = left < kLeast_s || interrupted();
  if (result.ran_out) return result;
  RunOptions options = of_program;
  options.changed_orders = std::move(changed);
  options.search = "bounded";
  options.max_stale = max_stale;
  options.search_options = {{"--max-preemptions", std::to_string(bound)}};
  options.time_s = left / 4;
  options.keep_going = options.resume = false;
  options.save_every_s = options.minimize_s = 0;
  options.require_bound.reset();
  options.orders_file.clear();
  options.execution_log.clear();
  const Report found = heddle::run(target, options, observer);
  const bool covered = found.coverage.complete || found.coverage.bound_proved >= static_cast<int>(bound);
  result.ran_out = !covered && found.bugs.empty();
  result.missed = found.old_values_missed;
  result.schedules = found.schedules_in_all();
  result.passes = found.verdict == Verdict::NoBugFound && covered && found.coverage.lost == 0 && found.deterministic &&
                  !found.old_values_missed;
  return result;
}

}  // namespace heddle::cli

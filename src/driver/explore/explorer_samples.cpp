// What the explore loop does with samples (samples.h): it has them run beside the plans of the search, and switches the
// reductions off where one shows that they don't hold.
#include "driver/explore/explorer.h"

namespace heddle {

// Before anything else is done with it: what it says of memory is for nobody else.
void Explorer::look_at_sample(ExecutionFinished& event) {
  const bool went_on = !event.plan.finish_freely && followed(event.plan, *event.execution);
  if (!went_on || stopped_ || !event.ended_because.empty() || !strategy_->reduces())
    return void(take_variables(*event.execution));
  if (auto plan = samples_.begin(*event.execution, executor_.session().modules())) submit_sample(std::move(*plan));
}

void Explorer::submit_sample(Plan plan) {
  ++samples_out_;
  executor_.submit(std::move(plan));
}

// It is none of the search's, but what came of it did happen. Where the search has a bound, an order that was made up
// is mostly beyond it: what comes of it is no bug to tell of, but a reason to run all schedules within the bound.
void Explorer::on_sample(ExecutionFinished& event) {
  --samples_out_;
  const Samples::Finding finding = samples_.learn(*event.execution, executor_.session().modules());
  const bool may_differ = finding.next.has_value();
  if (!finding.differs.empty() && !stopped_ && strategy_->reduces()) {
    samples_.forget();
    exhausted_ = false;
    strategy_->distrust(finding.differs);
    if (const std::string text = strategy_->take_note(); !text.empty()) note(text);
  } else if (finding.next && !stopped_) {
    submit_sample(*finding.next);
  }
  judge_races(event);
  if (entry_.promise.bounds.empty()) judge(event);
  if (stopped_ && may_differ) strategy_->distrust("one that counts as equivalent to another ended otherwise");
  add_points();
}

}  // namespace heddle

// See order_guide.h.
#include "search/order_guide.h"

#include "search/registry.h"

namespace heddle {

OrderGuide::OrderGuide(const Options& options, PlanId first_plan)
    : walks_(options.learn_first, find_strategy("random")->sampler, {.seed = options.seed, .first_plan = first_plan}),
      orders_(options.orders) {}

bool OrderGuide::leaves_out(const Race& race) {
  if (!orders_ || is_new_order(race, lookahead_, *orders_)) return false;
  ++left_out_;
  return true;
}

bool OrderGuide::leaves_out(std::uint32_t step, Choice choice) {
  if (!orders_ || choice.variant == 0 || is_new_variant(step, choice, lookahead_, *orders_)) return false;
  ++left_out_;
  return true;
}

void OrderGuide::save(StateWriter& writer) const {
  writer(left_out_);
  walks_.save(writer);
}

bool OrderGuide::restore(StateReader& reader) {
  reader(left_out_);
  return walks_.restore(reader);
}

}  // namespace heddle

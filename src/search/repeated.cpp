// See repeated.h.
#include "search/repeated.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

constexpr PlanId kPlansEach = PlanId{1} << 36;  // at most; all are below the numbers of plans of other kinds
// So many go on side by side. One of a few hundred schedules waits for results at the end of each bound.
constexpr std::size_t kMostAtOnce = 8;

}  // namespace

RepeatedSearch::RepeatedSearch(Make make, unsigned times) : make_(std::move(make)), times_(times) { begin(); }

void RepeatedSearch::begin() {
  const PlanId first_plan = begun_++ * kPlansEach + 1;
  searches_.push_back({first_plan, make_(first_plan)});
  latest_ = searches_.size() - 1;
}

// One gives plans until it has to wait: neighbours have more in common than plans of two searches.
Next RepeatedSearch::next() {
  for (;;) {
    for (std::size_t tried = 0; searches_[latest_].waits && tried < searches_.size(); ++tried)
      latest_ = (latest_ + 1) % searches_.size();
    Search& one = searches_[latest_];
    if (one.waits) {
      if (begun_ == times_ || searches_.size() == kMostAtOnce) return Wait();
      begin();
      continue;
    }
    Next next = one.search->next();
    if (std::holds_alternative<Plan>(next)) return next;
    one.waits = std::holds_alternative<Wait>(next);
    if (one.waits) continue;
    finished_ = one.search->coverage();
    if (searches_.size() == 1 && begun_ == times_) return next;
    searches_.erase(searches_.begin() + static_cast<std::ptrdiff_t>(latest_));
    latest_ = learned_ = 0;
    if (searches_.empty()) begin();
  }
}

// Of the one whose plan this is. Mostly of the same as the last time.
std::size_t RepeatedSearch::search_of(PlanId plan) const {
  const auto is_of = [plan](const Search& one) { return plan - one.first_plan < kPlansEach; };
  if (learned_ < searches_.size() && is_of(searches_[learned_])) return learned_;
  const auto found = std::find_if(searches_.begin(), searches_.end(), is_of);
  return found != searches_.end() ? static_cast<std::size_t>(found - searches_.begin()) : 0;
}

void RepeatedSearch::learn(const Execution& execution) {
  learned_ = search_of(execution.plan);
  Search& one = searches_[learned_];
  one.search->learn(execution);
  one.waits = false;
}

void RepeatedSearch::lost(PlanId plan) {
  Search& one = searches_[search_of(plan)];
  one.search->lost(plan);
  one.waits = false;
}

Coverage RepeatedSearch::coverage() const { return finished_ ? *finished_ : searches_.front().search->coverage(); }

void RepeatedSearch::distrust(const std::string& why) {
  for (const Search& one : searches_) one.search->distrust(why);
}

std::string RepeatedSearch::why_not_followed(const Plan& plan, const Execution& execution) const {
  return searches_[search_of(plan.id)].search->why_not_followed(plan, execution);
}

std::string RepeatedSearch::take_note() { return searches_[learned_].search->take_note(); }

}  // namespace heddle

// See turns.h.
#include "search/turns.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

constexpr std::uint64_t kFirstOfMain = 16;  // plans
constexpr std::uint64_t kWarmUp = 8;        // walks
constexpr std::uint64_t kEarly = 2'000;     // schedules
constexpr double kMainLater = 2.0 / 3;
constexpr double kFavoured = 0.25;
constexpr double kLeastFactor = 0.5, kMostFactor = 2;
// Plans in a row. Neighbours of a systematic part share prefixes, which saves time where there are many.
constexpr std::uint64_t kSlice = 16, kSmallSlice = 4;
constexpr double kFading = 0.98;     // of what was brought, with each execution
constexpr double kCostOfStart = 20;  // of an execution, in steps

}  // namespace

Turns::Turns(const std::vector<Share>& shares, std::size_t main) : main_(main) {
  for (const Share& share : shares) {
    Part part;
    part.share = share.of_plans;
    part.is_walk = share.is_walk;
    parts_.push_back(part);
  }
}

std::size_t Turns::present() {
  if (left_ == 0) choose();
  return turn_;
}

void Turns::took() {
  left_ -= left_ != 0 ? 1 : 0;
  given_to_main_ += turn_ == main_ ? 1 : 0;
  parts_[turn_].credit -= cost_of(parts_[turn_]);
}

void Turns::pass() {
  Part& part = parts_[turn_];
  part.waits = true;
  // It does not save up more than a slice: the rest is for the others.
  part.credit = std::min(part.credit, static_cast<double>(kSlice) * cost_of(part));
  left_ = 0;
}

void Turns::nobody_waits() {
  for (Part& part : parts_) part.waits = false;
}

void Turns::brought(std::size_t part, std::uint64_t steps, bool is_new) {
  ++run_;
  Part& one = parts_[part];
  one.news = one.news * kFading + (is_new ? 1 : 0);
  one.runs = one.runs * kFading + 1;
  one.steps = one.steps * kFading + kCostOfStart + static_cast<double>(steps);
}

void Turns::begin_anew() {
  for (Part& part : parts_) part.over = false;
  left_ = 0;
}

bool Turns::is_mains_alone() const { return !parts_[main_].over && given_to_main_ < kFirstOfMain; }

bool Turns::is_early() const { return run_ < kEarly; }

double Turns::cost_of(const Part& part) const {
  if (is_early()) return 1;
  return part.runs > 0 ? part.steps / part.runs : kCostOfStart;
}

// Their sum is 1.
std::vector<double> Turns::weights() const {
  const auto spent = [&](const Part& part) { return is_early() ? part.runs : part.steps; };
  double news = 0, spent_by_all = 0;
  for (const Part& part : parts_) {
    news += part.news;
    spent_by_all += spent(part);
  }
  std::vector<double> result;
  double sum = 0;
  for (const Part& part : parts_) {
    const bool known = news > 0 && spent(part) > 0;
    const double factor = known ? part.news / spent(part) / (news / spent_by_all) : 1;
    result.push_back(part.over ? 0 : part.share * std::clamp(factor, kLeastFactor, kMostFactor));
    sum += result.back();
  }
  for (double& weight : result) weight /= sum;
  const auto give_at_least = [&result](std::size_t part, double share) {
    const double own = result[part];
    if (own >= share) return;
    for (double& weight : result) weight *= (1 - share) / (1 - own);
    result[part] = share;
  };
  if (!is_early() && !parts_[main_].over) give_at_least(main_, kMainLater);
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].is_favoured && !parts_[i].over) give_at_least(i, kFavoured);
  return result;
}

void Turns::choose() {
  if (is_mains_alone() && !parts_[main_].waits) {
    turn_ = main_;
    left_ = 1;
    return;
  }
  if (warmed_up_ < kWarmUp) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      turn_ = (turn_ + 1) % parts_.size();
      if (!parts_[turn_].is_walk || parts_[turn_].waits) continue;
      left_ = 1;
      ++warmed_up_;
      return;
    }
  }
  if (!is_early() && std::exchange(was_early_, false))
    for (Part& part : parts_) part.credit = 0;  // it was of plans
  double owed = 0;
  for (const Part& part : parts_) owed += part.over ? 0 : part.credit;
  // What was taken since the last time is given to all by their weights.
  const std::vector<double> weight = weights();
  std::size_t best = parts_.size();
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    part.credit = part.over ? 0 : part.credit - std::min(owed, 0.0) * weight[i];
    if (!part.over && !part.waits && (best == parts_.size() || part.credit > parts_[best].credit)) best = i;
  }
  if (best == parts_.size()) return;  // all wait
  turn_ = best;
  left_ = parts_[best].is_walk || is_early() ? kSmallSlice : kSlice;
}

}  // namespace heddle

// See hunts.h.
#include "farm/hunts.h"

#include <algorithm>
#include <numeric>

namespace heddle::farm {
namespace {

constexpr unsigned kMostUnfit = 3;     // results of a hunt that are of no use: then another one takes its turn
constexpr unsigned kMostFailures = 3;  // in a row: then a search hunts no more
constexpr double kFirst_s = 0.2;       // budget at first: a worker in a hunt keeps a bound waiting
constexpr double kPart = 1.0 / 20;     // of the time that all have worked so far: budget of the next hunt

std::uint64_t schedules_of(const ShardResult& result) {
  return std::accumulate(result.progress.run.begin(), result.progress.run.end(), std::uint64_t{0});
}

}  // namespace

Hunts::Hunts(const Options& options) : options_(options) {
  for (const std::string& name : options_.searches) searches_.push_back({.name = name});
  while (!searches_.empty() && waiting_.size() < options_.waiting) add();
}

bool Hunts::is_fit(const ShardResult& result) {
  return !result.broke_down && result.failed.empty() && result.progress.waiting.empty();
}

bool Hunts::is_given_up(const Search& search) { return search.failures >= kMostFailures; }

std::string Hunts::ended_because() const {
  const bool all = std::all_of(searches_.begin(), searches_.end(), is_given_up);
  return all && !searches_.empty() ? failed_ : std::string();
}

std::uint64_t Hunts::schedules() const {
  std::uint64_t sum = 0;
  for (const Search& one : searches_) sum += one.schedules;
  return sum;
}

std::size_t Hunts::next_search() {
  const bool all_known = begun_ >= searches_.size() + options_.waiting;
  if (!all_known || begun_ % 2 == 0) {
    while (is_given_up(searches_[in_turn_ % searches_.size()])) ++in_turn_;
    return in_turn_++ % searches_.size();
  }
  const auto value = [](const Search& one) { return is_given_up(one) ? -1 : one.new_a_second; };
  const auto best = std::max_element(searches_.begin(), searches_.end(),
                                     [&](const Search& one, const Search& other) { return value(one) < value(other); });
  return static_cast<std::size_t>(best - searches_.begin());
}

void Hunts::add() {
  Shard hunt;
  hunt.search = searches_[next_search()].name;
  hunt.id = kFirst + begun_;
  hunt.seed = ++begun_;
  hunt.budget_s = std::min(options_.longest_s, std::max(kFirst_s, worked_s_ * kPart));
  hunt.points.assign(points_.begin(), points_.end());
  hunt.spins.assign(spins_.begin(), spins_.end());
  waiting_.emplace(hunt.id, std::move(hunt));
}

Taken Hunts::take(const ShardResult& result) {
  const auto found = waiting_.find(result.id);
  if (found == waiting_.end()) return Taken::Ignored;
  const auto search = std::find_if(searches_.begin(), searches_.end(),
                                   [&](const Search& one) { return one.name == found->second.search; });
  const bool makes_no_sense = result.failed.empty() && !result.progress.waiting.empty();
  if ((result.broke_down || makes_no_sense) && ++unfit_[result.id] < kMostUnfit) return Taken::Again;
  if (!is_fit(result)) {
    failed_ = makes_no_sense ? "results of a hunt made no sense three times" : result.failed;
    ++search->failures;
  } else {
    search->failures = 0;
    const std::uint64_t before = classes_.count();
    classes_.add(result.classes);
    const std::uint64_t after = classes_.count();  // an estimate, which may fall
    search->schedules += schedules_of(result);
    search->new_a_second = static_cast<double>(after - std::min(before, after)) / std::max(result.seconds, 0.01);
    points_.insert(result.points.begin(), result.points.end());
    spins_.insert(result.spins.begin(), result.spins.end());
  }
  ++done_;
  unfit_.erase(result.id);
  waiting_.erase(found);
  if (ended_because().empty()) add();
  return Taken::Counted;
}

}  // namespace heddle::farm

// See hunts.h.
#include "farm/hunts.h"

#include <algorithm>
#include <numeric>

namespace heddle::farm {
namespace {

constexpr unsigned kMostUnfit = 3;   // results of a hunt that are of no use: then another one takes its turn
constexpr double kFirst_s = 1;       // budget at first, so that what hunts learn is known soon
constexpr double kPart = 1.0 / 100;  // of the time of all hunts so far: budget of the next one

bool makes_sense(const ShardResult& result) {
  return result.progress.waiting.empty() && result.progress.lost <= (std::uint64_t{1} << 40);
}

std::uint64_t schedules_of(const ShardResult& result) {
  return std::accumulate(result.progress.run.begin(), result.progress.run.end(), std::uint64_t{0});
}

}  // namespace

Hunts::Hunts(const Options& options) : options_(options) {
  for (const std::string& name : options_.searches) searches_.push_back({.name = name});
  while (!searches_.empty() && waiting_.size() < options_.waiting) add();
}

std::uint64_t Hunts::schedules() const {
  std::uint64_t sum = 0;
  for (const Search& one : searches_) sum += one.schedules;
  return sum;
}

std::size_t Hunts::next_search() {
  const bool all_known = begun_ >= searches_.size() + options_.waiting;
  if (!all_known || begun_ % 2 == 0) return in_turn_++ % searches_.size();
  const auto best = std::max_element(searches_.begin(), searches_.end(), [](const Search& one, const Search& other) {
    return one.new_a_second < other.new_a_second;
  });
  return static_cast<std::size_t>(best - searches_.begin());
}

void Hunts::add() {
  Shard hunt;
  hunt.search = searches_[next_search()].name;
  hunt.id = kFirst + begun_;
  hunt.seed = ++begun_;
  hunt.budget_s = std::min(options_.longest_s, std::max(kFirst_s, seconds_ * kPart));
  hunt.points.assign(points_.begin(), points_.end());
  hunt.spins.assign(spins_.begin(), spins_.end());
  waiting_.emplace(hunt.id, std::move(hunt));
}

Taken Hunts::take(const ShardResult& result) {
  const auto found = waiting_.find(result.id);
  if (found == waiting_.end()) return Taken::Ignored;
  if (result.broke_down || !makes_sense(result)) {
    if (++unfit_[result.id] < kMostUnfit) return Taken::Again;
    failed_ = result.broke_down ? result.failed : "results of a hunt made no sense three times";
  } else if (!result.failed.empty()) {
    failed_ = result.failed;
  } else {
    const auto search = std::find_if(searches_.begin(), searches_.end(),
                                     [&](const Search& one) { return one.name == found->second.search; });
    const std::uint64_t before = classes_.count();
    classes_.add(result.classes);
    const std::uint64_t after = classes_.count();  // an estimate, which may fall
    search->schedules += schedules_of(result);
    search->new_a_second = static_cast<double>(after - std::min(before, after)) / std::max(result.seconds, 0.01);
    seconds_ += result.seconds;
    points_.insert(result.points.begin(), result.points.end());
    spins_.insert(result.spins.begin(), result.spins.end());
  }
  ++done_;
  unfit_.erase(result.id);
  waiting_.erase(found);
  add();
  return Taken::Counted;
}

}  // namespace heddle::farm

// See merge.h.
#include "farm/merge.h"

#include <algorithm>
#include <tuple>

namespace heddle::farm {
namespace {

constexpr unsigned kMostUnfit = 3;  // results of a shard that are of no use: then nobody can run it
constexpr double kFirst_s = 1;      // budget while there is little to share out
constexpr std::size_t kEach = 4;    // subtrees of a shard, at least where there are as many
constexpr std::size_t kMostWords = std::size_t{100} << 10;  // of the subtrees of a shard, on the average: 400 KB
constexpr double kPart = 1.0 / 16;  // of the time that a bound has taken so far: so long a worker may wait at its end

bool is_better(const FarmBug& one, const FarmBug& other) {
  const auto rank = [](const FarmBug& bug) { return std::tuple(bug.preemptions, bug.trace_bytes, bug.trace); };
  return rank(one) < rank(other);
}

using Place = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
Place place_of(const Deltas& deltas, std::size_t count) {
  Place place;
  for (std::size_t i = 0; i < count; ++i)
    place.emplace_back(deltas[i].step, std::uint32_t{deltas[i].choice.task} << 16 | deltas[i].choice.variant);
  return place;
}

}  // namespace

// What waits must be in a subtree of the shard, or be another outcome of a subtree's last choice (expand_siblings() in
// bounded.h): so its deviations begin with all but the last one of those of a subtree.
std::string misfit(const Shard& shard, const ShardResult& result) {
  std::set<Place> begins;
  for (const Subtree& one : shard.subtrees) {
    const std::size_t depth = one.deltas.size();
    begins.insert(place_of(one.deltas, depth == 0 ? 0 : depth - 1));
  }
  for (const Subtree& one : result.progress.waiting) {
    if (one.preemptions > shard.bound) return "a schedule that waits is beyond the bound";
    bool found = false;
    for (std::size_t depth = 0; depth <= one.deltas.size() && !found; ++depth)
      found = begins.contains(place_of(one.deltas, depth));
    if (!found) return "a schedule that waits is not in the shard";
  }
  if (result.progress.run.size() > std::size_t{shard.bound} + 1)
    for (std::size_t bound = std::size_t{shard.bound} + 1; bound < result.progress.run.size(); ++bound)
      if (result.progress.run[bound] != 0) return "schedules were run that are beyond the bound";
  const auto has_all = [](const auto& more, const auto& all) {
    const std::set known(more.begin(), more.end());
    return std::all_of(all.begin(), all.end(), [&](const auto& one) { return known.contains(one); });
  };
  if (!has_all(result.points, shard.points) || !has_all(result.spins, shard.spins))
    return "it was run without places that were known";
  return {};
}

Merge::Merge(const Options& options) : options_(options), hunts_(options.hunts) { begin_bound(0); }

void Merge::begin_bound(unsigned bound) {
  bound_ = bound;
  now_ = {};
  beyond_ = false;
  lost_ = 0;  // of those that are begun anew, too: in another order of results they would not have counted
  seconds_of_bound_ = 0;
  waiting_.clear();
  unfit_.clear();
  add_shards({Subtree()});
}

// While few shards wait, workers come back soon with what can be shared out: at the begin of a bound, and at its end.
double Merge::budget_s() const {
  const double few = static_cast<double>(waiting_.size()) / static_cast<double>(options_.pieces);
  return std::min(options_.longest_s,
                  std::max(kFirst_s, std::min(options_.longest_s, seconds_of_bound_ * kPart) * few));
}

// Subtrees that follow each other are of about the same size, so they are dealt in turn. Many of them take less time
// than it takes to start a process: so there are some in each shard.
void Merge::add_shards(const Subtrees& subtrees) {
  if (subtrees.empty()) return;
  const std::size_t wanted = options_.pieces > waiting_.size() ? options_.pieces - waiting_.size() : 1;
  std::size_t words = 0;
  for (const Subtree& one : subtrees) words += 3 + 2 * one.deltas.size();
  // Each has to fit in a message.
  const std::size_t least = std::min(subtrees.size(), words / kMostWords + 1);
  const std::size_t count = std::max(least, std::min(wanted, std::max<std::size_t>(1, subtrees.size() / kEach)));
  const ShardId first = next_id_;
  const double budget = budget_s();
  for (std::size_t i = 0; i < count; ++i, ++next_id_) {
    Shard& shard = waiting_[next_id_];
    shard.id = next_id_;
    shard.bound = bound_;
    shard.budget_s = budget;
    shard.points.assign(points_.begin(), points_.end());
    shard.spins.assign(spins_.begin(), spins_.end());
  }
  for (std::size_t i = 0; i < subtrees.size(); ++i) waiting_[first + i % count].subtrees.push_back(subtrees[i]);
}

Taken Merge::take(const ShardResult& result) {
  if (over_) return Taken::Ignored;
  if (hunts_.is_one(result.id)) {
    const Taken taken = hunts_.take(result);
    if (taken == Taken::Counted && Hunts::is_fit(result)) count(result);
    return taken;
  }
  const auto found = waiting_.find(result.id);
  if (found == waiting_.end()) return Taken::Ignored;
  if (result.broke_down) return run_again(result.id, result.failed + ", 3 times");
  if (!result.failed.empty()) {
    count(result);  // what it has found all the same
    failed_ = result.failed;
    over_ = true;
    return Taken::Counted;
  }
  if (const std::string why = misfit(found->second, result); !why.empty())
    return run_again(result.id, "results of one shard made no sense three times: " + why);
  ++shards_done_;
  seconds_of_bound_ += result.seconds;
  count(result);
  if (over_) return Taken::Counted;
  if (learn(result)) {
    begin_bound(bound_);
    return Taken::Anew;
  }
  waiting_.erase(found);
  for (const std::uint64_t count : result.progress.run) now_.schedules += count;
  now_.cut_off += result.cut_off;
  now_.classes.add(result.classes);
  beyond_ = beyond_ || result.progress.beyond;
  lost_ += result.progress.lost;
  add_shards(result.progress.waiting);
  if (waiting_.empty()) end_bound();
  return Taken::Counted;
}

// `why_not`: what is said once it was run as often as it may be.
Taken Merge::run_again(ShardId id, const std::string& why_not) {
  if (++unfit_[id] < kMostUnfit) return Taken::Again;
  failed_ = why_not;
  over_ = true;
  return Taken::Counted;
}

// What counts whatever becomes of the bound.
void Merge::count(const ShardResult& result) {
  seconds_ += result.seconds;
  hunts_.set_worked(seconds_);
  for (const std::uint64_t schedules : result.progress.run) schedules_in_all_ += schedules;
  for (const FarmBug& bug : result.bugs) {
    const auto [known, is_new] = bugs_.try_emplace(bug.key, bug);
    if (!is_new && is_better(bug, known->second)) known->second = bug;
  }
  over_ = over_ || (!bugs_.empty() && !options_.keep_going);
}

// Has it found places or loops that the shards do not know?
bool Merge::learn(const ShardResult& result) {
  const std::size_t before = points_.size() + spins_.size();
  points_.insert(result.points.begin(), result.points.end());
  spins_.insert(result.spins.begin(), result.spins.end());
  return points_.size() + spins_.size() != before;
}

void Merge::end_bound() {
  if (lost_ != 0) {
    over_ = true;
    return;
  }
  proved_ = now_;
  proved_.bound = static_cast<int>(bound_);
  proved_.complete = !beyond_;
  if (proved_.complete || bound_ == options_.max_preemptions.value_or(1000))
    over_ = true;
  else
    begin_bound(bound_ + 1);
}

}  // namespace heddle::farm

// See reads_from.h.
#include "search/reads_from.h"

#include <algorithm>
#include <iterator>

#include "trace/modules.h"

namespace heddle {
namespace {

constexpr std::size_t kMostObjects = 256, kMostPlaces = 64, kMostConstraints = 8;
constexpr std::size_t kMostPairs = std::size_t{1} << 16, kMostKept = std::size_t{1} << 12;
constexpr std::uint32_t kMostEnergy = 64;
constexpr std::size_t kMostSteps = 20'000;  // of an execution that is looked at

std::uint64_t hash_of(std::uint64_t address, Site writer, Site reader) {
  return scrambled(scrambled(scrambled(address + kGoldenRatio) ^ writer) + reader * kGoldenRatio);
}

void note_place(std::vector<Site>& places, Site place) {
  if (places.size() < kMostPlaces && std::find(places.begin(), places.end(), place) == places.end())
    places.push_back(place);
}

// What one execution did to an object.
struct Seen {
  std::uint64_t address = 0;
  TaskId task = kNoTask;  // who came to it first
  bool several = false, wrote = false;
  Site last_writer = 0;
  bool matters() const { return address != 0 && several && wrote; }
};

template <typename Visit>
void for_each_access(const Execution& execution, Visit visit) {
  for (const StepRecord& step : execution.steps)
    for (const ObjectId id : {step.object, step.object2})
      if (id != kNoObject) visit(step, id);
}

std::vector<Seen> objects_of(const Execution& execution) {
  std::vector<Seen> result;
  for (const ObjectRecord& object : execution.objects) {
    if (object.object_kind == ObjectKind::Thread) continue;
    if (object.object >= result.size()) result.resize(object.object + std::size_t{1});
    result[object.object].address = object.address;
  }
  for_each_access(execution, [&](const StepRecord& step, ObjectId id) {
    if (id >= result.size()) return;
    Seen& seen = result[id];
    if (seen.task == kNoTask) seen.task = step.task;
    seen.several = seen.several || seen.task != step.task;
    seen.wrote = seen.wrote || (step.flags & StepFlags::Wrote) != 0;
  });
  return result;
}

}  // namespace

// --- what executions show

void ReadsFrom::learn(const Execution& execution) {
  Schedule schedule;
  if (const auto found = out_.find(execution.plan); found != out_.end()) {
    schedule = std::move(found->second);
    out_.erase(found);
  }
  if (execution.steps.size() > kMostSteps) return;
  std::uint64_t combination = 0;
  const bool is_new = note_pairs(execution, combination);
  ++executions_;
  if (combinations_.size() < kMostPairs || combinations_.contains(combination)) ++combinations_[combination];
  if (kept_.size() == 1 && kept_.front().combination == 0) kept_.front().combination = combination;
  if (is_new && !schedule.empty() && kept_.size() < kMostKept) kept_.push_back({std::move(schedule), combination, 0});
}

// True: one of the pairs is new. `combination`: the same for the same set of pairs.
bool ReadsFrom::note_pairs(const Execution& execution, std::uint64_t& combination) {
  std::vector<Seen> objects = objects_of(execution);
  of_execution_.clear();
  bool is_new = false;
  for_each_access(execution, [&](const StepRecord& step, ObjectId id) {
    if (id >= objects.size() || !objects[id].matters()) return;
    if (ModuleMap::is_numbered(step.site) || ModuleMap::is_unplaced(step.site))
      return;  // it lies elsewhere in each process
    Seen& seen = objects[id];
    const std::uint64_t hash = hash_of(seen.address, seen.last_writer, step.site);
    // As the policy sees it, which is asked before it is known whether a step changes its object.
    const bool wrote = (traits(step.operation) & OperationTraits::Write) != 0;
    if (wrote) seen.last_writer = step.site;
    if (!of_execution_.insert(hash).second) return;
    combination += hash;
    is_new = (pairs_.size() < kMostPairs && pairs_.insert(hash).second) || is_new;
    const auto known = objects_.find(seen.address);
    if (known == objects_.end() && objects_.size() >= kMostObjects) return;
    Places& places = known != objects_.end() ? known->second : objects_[seen.address];
    note_place(places.readers, step.site);
    if (wrote) note_place(places.writers, step.site);
  });
  return is_new;
}

// --- schedules

ReadsFrom::Schedule ReadsFrom::draw(PlanId plan, Draws& draws) {
  if (left_ == 0) go_on_to_next();
  --left_;
  Schedule schedule = kept_[present_].schedule;
  // The one without constraints is run as it is now and then.
  if (!objects_.empty() && (!schedule.empty() || draws.below(4) != 0))
    for (std::uint64_t times = 1 + draws.below(2); times > 0; --times) mutate(schedule, draws);
  out_[plan] = schedule;
  return schedule;
}

// The cut-off exponential schedule: what was seen more often than others on average has its turn later; else the number
// grows each time, the faster the rarer it is.
std::uint32_t ReadsFrom::energy_of(const Kept& kept) const {
  const auto found = combinations_.find(kept.combination);
  const std::uint64_t seen = found != combinations_.end() ? found->second : 1;
  if (seen * combinations_.size() > executions_ && kept_.size() > 1) return 0;
  const std::uint64_t energy = (std::uint64_t{1} << std::min(kept.chosen, 16u)) / seen;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(energy, 1, kMostEnergy));
}

void ReadsFrom::go_on_to_next() {
  for (std::size_t tried = 0; tried < kept_.size() && left_ == 0; ++tried) {
    present_ = (present_ + 1) % kept_.size();
    left_ = energy_of(kept_[present_]);
  }
  if (left_ == 0) present_ = (present_ + 1) % kept_.size();  // none is rare: each in turn
  left_ = std::max(left_, 1u);
  ++kept_[present_].chosen;
}

ReadsFrom::Constraint ReadsFrom::draw_constraint(Draws& draws) const {
  const auto& [address, places] =
      *std::next(objects_.begin(), static_cast<std::ptrdiff_t>(draws.below(objects_.size())));
  Constraint result;
  result.address = address;
  result.reader = places.readers[draws.below(places.readers.size())];
  const std::uint64_t writer = draws.below(places.writers.size() + 1);
  result.writer = writer < places.writers.size() ? places.writers[writer] : 0;
  return result;
}

void ReadsFrom::mutate(Schedule& schedule, Draws& draws) const {
  const std::uint64_t way = schedule.empty() ? 0 : draws.below(4);
  const std::uint64_t at = draws.below(schedule.size());
  if (way == 0 && schedule.size() < kMostConstraints)
    schedule.push_back(draw_constraint(draws));
  else if (way == 1)
    schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(at));
  else if (way == 2)
    schedule[at].never = !schedule[at].never;
  else
    schedule[at] = draw_constraint(draws);
}

}  // namespace heddle

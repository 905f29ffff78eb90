// See spin_places.h.
#include "model/spin_places.h"

namespace heddle::model {

struct SpinPasses {
  static constexpr std::uint32_t kCapacity = 8;  // a loop may have been found by several places in it
  struct Pass {
    Site site;
    ObjectId object;
    std::uint32_t steps;  // of the task's own, up to there
    std::uint32_t period;
    bool valid;
  };
  Pass passes[kCapacity];

  // Where there was none, the one of the longest ago. A place may be one for several objects: a call of a library, and
  // what is called in there.
  Pass& of(Site site, ObjectId object) {
    Pass* oldest = passes;
    for (Pass& pass : passes) {
      if (pass.valid && pass.site == site && pass.object == object) return pass;
      if (!pass.valid || (oldest->valid && pass.steps < oldest->steps)) oldest = &pass;
    }
    return *oldest;
  }
};

void SpinPlaces::watch(const SpinPlace* places, std::uint32_t count) {
  places_ = places;
  count_ = count;
  mask_ = 0;
  for (std::uint32_t i = 0; i < count; ++i) mask_ |= std::uint64_t{1} << bit(places[i].site);
}

[[gnu::noinline]] bool SpinPlaces::has(Site site, std::uint32_t period) const {
  for (std::uint32_t i = 0; i < count_; ++i)
    if (places_[i].site == site && places_[i].period == period) return true;
  return false;
}

[[gnu::noinline]] bool SpinPlaces::comes_round(Task& task, std::uint32_t own_steps) const {
  const Site site = task.pending.site;
  std::uint32_t period = 0;  // the longest of those that the site was found with
  for (std::uint32_t i = 0; i < count_; ++i)
    if (places_[i].site == site && places_[i].period < kSeenServicePeriod && places_[i].period >= period)
      period = places_[i].period;
  if (period == 0) return false;
  if (task.passes == nullptr) task.passes = static_cast<SpinPasses*>(allocate_(sizeof(SpinPasses)));
  SpinPasses::Pass& pass = task.passes->of(site, task.pending.object);
  const std::uint32_t round = own_steps - pass.steps;
  const bool again = pass.valid && pass.site == site && pass.object == task.pending.object && round <= period;
  if (again && round == 0) return false;  // the same once more, behind an interrupt
  // A round may come to its place for more objects than are remembered. If each made room for the next, none would be
  // known again.
  const bool is_another = pass.valid && (pass.site != site || pass.object != task.pending.object);
  if (is_another && round <= pass.period) return false;
  pass = {site, task.pending.object, own_steps, period, true};
  return again;
}

}  // namespace heddle::model

// See race_places.h.
#include "runtime/detect/race_places.h"

#include "protocol/mix.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {
namespace {

constexpr std::uint32_t kMaxPlaces = 1u << 24;
constexpr std::uint32_t kStackWords = 1u << 23;
constexpr std::uint32_t kRemembered = 1024;  // places by the hash of their site
constexpr unsigned kMaxTold = 64;

struct Told {
  Site earlier, later;
  std::uint16_t flags;
};

struct PermanentTables {
  AccessPlace* places;
  std::uint64_t* stacks;
  std::uint32_t* remembered;
  std::uint32_t place_count;
  std::uint32_t stack_words;
  unsigned told_count;
  Told told[kMaxTold];
};
HEDDLE_PERMANENT PermanentTables tables{};

std::uint32_t hash_of(Site site) { return static_cast<std::uint32_t>(site * kGoldenRatio >> 54); }

// As it was captured last: a depth, then the sites.
std::uint32_t add_stack(const TaskData& data) {
  if (tables.stack_words + 1 + kStackCapacity > kStackWords) return 0;
  const std::uint32_t begin = tables.stack_words;
  tables.stacks[begin] = data.stack_depth;
  for (unsigned i = 0; i < data.stack_depth; ++i) tables.stacks[begin + 1 + i] = data.stack[i];
  tables.stack_words += 1 + data.stack_depth;
  return begin;
}

[[gnu::noinline]] std::uint32_t add_present_stack(Site site) {
  capture_stack(runtime.current, site);
  return add_stack(current_data());
}

// 0: there are too many.
model::Place add_place(Site site, std::uint32_t step) {
  if (__builtin_expect(tables.place_count == kMaxPlaces, 0)) return 0;
  tables.places[tables.place_count] = {site, step, 0};
  return tables.place_count++;
}

}  // namespace

bool make_places(void* (*take)(std::size_t bytes)) {
  tables.places = static_cast<AccessPlace*>(take(sizeof(AccessPlace) * kMaxPlaces));
  tables.stacks = static_cast<std::uint64_t*>(take(sizeof(std::uint64_t) * kStackWords));
  tables.remembered = static_cast<std::uint32_t*>(take(sizeof(std::uint32_t) * kRemembered));
  return tables.places != nullptr && tables.stacks != nullptr && tables.remembered != nullptr;
}

void begin_places() {
  tables.place_count = 1;
  tables.stack_words = 1;
  tables.told_count = 0;
  tables.places[0] = AccessPlace();
}

model::Place place_here(Site site) {
  std::uint32_t& remembered = tables.remembered[hash_of(site)];
  const std::uint32_t step = runtime.world->schedule().steps().count();
  const AccessPlace& before = tables.places[remembered];
  if (remembered < tables.place_count && before.site == site && before.step == step) return remembered;
  const model::Place place = add_place(site, step);
  if (place == 0) return 0;
  if (__builtin_expect(runtime.record_stacks, 0)) tables.places[place].stack = add_present_stack(site);
  return remembered = place;
}

model::Place place_of_step(TaskId task, Site site) {
  const model::Place place = add_place(site, runtime.world->schedule().steps().count() - 1);
  const TaskData& data = runtime.tasks[task];
  if (runtime.record_stacks && place != 0 && data.stack_depth != 0) tables.places[place].stack = add_stack(data);
  return place;
}

model::Place place_of_end(TaskId task) {
  const auto function = reinterpret_cast<Site>(runtime.tasks[task].entry);
  return add_place(function + 1,
                   runtime.world->schedule().fairness().last_step_of(task));  // as a call's place is behind the call
}

const AccessPlace& place_of(model::Place place) { return tables.places[place]; }

const Site* stack_of(const AccessPlace& place, unsigned& depth) {
  depth = place.stack != 0 ? static_cast<unsigned>(tables.stacks[place.stack]) : 0;
  return depth != 0 ? tables.stacks + place.stack + 1 : nullptr;
}

bool is_reported(const model::FoundRace& race, std::uint8_t flags) {
  const Told wanted{place_of(race.earlier.place).site, place_of(race.later.place).site,
                    static_cast<std::uint16_t>(race.earlier.flags << 8 | race.later.flags | flags)};
  for (unsigned i = 0; i < tables.told_count; ++i) {
    const Told& told = tables.told[i];
    if (told.earlier == wanted.earlier && told.later == wanted.later && told.flags == wanted.flags) return true;
  }
  if (tables.told_count == kMaxTold) return true;
  tables.told[tables.told_count++] = wanted;
  return false;
}

}  // namespace heddle::runtime

// See spin_places.h.
#include "runtime/schedule/spin_places.h"

#include <link.h>

#include "model/world.h"
#include "runtime/os/system_call.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

struct Places {
  model::SpinPlace* places = nullptr;
  std::uint32_t count = 0;
  // Where several files have one name, a loop is one in each.
  static constexpr std::uint32_t kCapacity = 2 * kMaxSpins;
};

void add(Places& found, std::uint64_t file, std::uint64_t base) {
  const SpinSet& set = runtime.shared->spins;
  const std::uint32_t count = set.count < kMaxSpins ? set.count : kMaxSpins;
  for (std::uint32_t i = 0; i < count && found.count < Places::kCapacity; ++i)
    if (set.spins[i].file == file) found.places[found.count++] = {base + set.spins[i].offset, set.spins[i].period};
}

// The main program has no name here.
int add_file(dl_phdr_info* info, std::size_t, void* found) {
  const char* const path = info->dlpi_name[0] != '\0' ? info->dlpi_name : runtime.shared->modules.modules[0].path;
  add(*static_cast<Places*>(found), file_key(path), info->dlpi_addr);
  return 0;
}

}  // namespace

void find_spin_places() {
  if (runtime.shared->spins.count == 0) return;
  Places found;
  found.places = static_cast<model::SpinPlace*>(os::allocate(sizeof(model::SpinPlace) * Places::kCapacity));
  add(found, 0, 0);
  for_each_loaded_file(add_file, &found);
  runtime.world->population().spin_places().watch(found.places, found.count);
}

}  // namespace heddle::runtime

// See yields.h.
#include "runtime/schedule/yields.h"

#include "model/spinning.h"
#include "protocol/known_libraries.h"
#include "protocol/time_slice.h"
#include "runtime/state/imports.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMaxFiles = 16;

struct Code {
  std::uintptr_t begin, end;
};

struct PermanentYielding {
  Code files[kMaxFiles] = {};
  unsigned file_count = 0;
};
HEDDLE_PERMANENT constinit PermanentYielding permanent_yielding{};

int add_file(dl_phdr_info* info, std::size_t, void*) {
  if (is_of_the_system(info->dlpi_name)) return 0;
  const Imports imports(*info);
  if (!imports.has("sched_yield") || !imports.has("syscall")) return 0;
  for (int i = 0; i < info->dlpi_phnum && permanent_yielding.file_count < kMaxFiles; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    permanent_yielding.files[permanent_yielding.file_count++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

bool may_sleep_soon(Site site) {
  for (unsigned i = 0; i < permanent_yielding.file_count; ++i)
    if (site >= permanent_yielding.files[i].begin && site < permanent_yielding.files[i].end) return true;
  return false;
}

}  // namespace

void find_sleeping_loops() { for_each_loaded_file(add_file, nullptr); }

void yield(Site site) {
  const model::World& world = *runtime.world;
  TaskData& data = current_data();
  std::int32_t kind = 0;
  // Who reads memory by operations has patience by what it reads (model/spinning.h).
  if (may_sleep_soon(site) && world.task(runtime.current).reads == nullptr) {
    if (model::others_ran_since(world, runtime.current, data.last_yield)) data.yields_alone = 0;
    const bool consecutive = data.yields_alone != 0 && data.last_yield == world.schedule().steps().count();
    if (data.yields_alone < kPatientYields) {
      ++data.yields_alone;
      if (consecutive) return;
      kind = kPatientYield;
    }
  }
  model::Operation& draft = draft_operation();
  draft.kind = OperationKind::Yield;
  draft.object = kNoObject;
  draft.site = site;
  draft.argument = static_cast<std::uint64_t>(kind);
  perform_draft();
  current_data().last_yield = world.schedule().steps().count();
}

}  // namespace heddle::runtime

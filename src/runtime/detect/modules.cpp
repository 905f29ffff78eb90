// See modules.h.
#include "runtime/detect/modules.h"

#include <dlfcn.h>

#include "protocol/instrumented.h"
#include "runtime/detect/races.h"
#include "runtime/heap/block_history.h"
#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {
namespace {

using instrument::Module;

const instrument::Accesses* accesses = nullptr;
const instrument::Points* points = nullptr;

}  // namespace

void watch_accesses(const instrument::Accesses* to) {
  accesses = to;
  for (Module* module = first_instrumented; module != nullptr; module = module->next) module->accesses = to;
}

void watch_points(const instrument::Points* to) {
  points = to;
  for (Module* module = first_instrumented; module != nullptr; module = module->next) module->points = to;
}

bool is_instrumented(const void* code) {
  dl_find_object file;
  if (_dl_find_object(const_cast<void*>(code), &file) != 0) return false;
  for (const Module* module = first_instrumented; module != nullptr; module = module->next)
    if (module->code >= file.dlfo_map_start && module->code < file.dlfo_map_end) return true;
  return false;
}

}  // namespace heddle::runtime

using namespace heddle;
using namespace heddle::runtime;

HEDDLE_EXPORT void heddle_instrument_attach(instrument::Module* module) {
  if (runtime::runtime.mode == Mode::PassThrough || runtime::runtime.mode == Mode::Uninitialized) return;
  if (module->version != instrument::kInstrumentVersion || module->size != sizeof(instrument::Module)) {
    if (runtime::runtime.shared != nullptr) runtime::runtime.shared->status.instrumented.fetch_add(kOfAnotherVersion);
    return;
  }
  if (runtime::runtime.shared != nullptr) runtime::runtime.shared->status.instrumented.fetch_add(1);
  if (config.note_blocks != NoteBlocks::No) {
    prepare_stacks(true);
    begin_noting_blocks();
  }
  module->next = first_instrumented;
  first_instrumented = module;
  module->accesses = accesses;
  module->points = points;
  races_module_loaded();
}

HEDDLE_EXPORT void heddle_instrument_benign_race(const void* address, std::size_t size) { races_benign(address, size); }

HEDDLE_EXPORT void heddle_instrument_detach(instrument::Module* module) {
  for (instrument::Module** link = &first_instrumented; *link != nullptr; link = &(*link)->next) {
    if (*link != module) continue;
    *link = module->next;
    return;
  }
}

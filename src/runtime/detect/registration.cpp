// The calls by which instrumented modules register with the runtime: the program when it is loaded, and its libraries.
#include "protocol/instrumented.h"
#include "runtime/detect/modules.h"
#include "runtime/detect/races.h"
#include "runtime/heap/block_history.h"
#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

using namespace heddle;
using namespace heddle::runtime;

HEDDLE_EXPORT void heddle_instrument_attach(instrument::Module* module) {
  if (runtime::runtime.mode == Mode::PassThrough || runtime::runtime.mode == Mode::Uninitialized) return;
  if (module->version != instrument::kInstrumentVersion || module->size != sizeof(instrument::Module)) {
    if (runtime::runtime.shared != nullptr) runtime::runtime.shared->status.instrumented.fetch_add(kOfAnotherVersion);
    return;
  }
  if (runtime::runtime.shared != nullptr) runtime::runtime.shared->status.instrumented.fetch_add(1);
  if (config.note_blocks) {
    prepare_stacks(true);
    begin_noting_blocks();
  }
  module->next = execution_modules.first_instrumented;
  execution_modules.first_instrumented = module;
  module->accesses = execution_watch.accesses;
  module->points = execution_watch.points;
  races_module_loaded();
}

HEDDLE_EXPORT void heddle_instrument_benign_race(const void* address, std::size_t size) { races_benign(address, size); }

HEDDLE_EXPORT void heddle_instrument_detach(instrument::Module* module) {
  for (instrument::Module** link = &execution_modules.first_instrumented; *link != nullptr; link = &(*link)->next) {
    if (*link != module) continue;
    *link = module->next;
    return;
  }
}

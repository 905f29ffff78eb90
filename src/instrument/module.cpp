// Gives this module to the runtime as soon as it is loaded, if there is one. Each instrumented file calls __tsan_init()
// at its start, before constructors that may make accesses; the first of these calls registers the module. A module
// with this library but without an instrumented file registers nothing: it is not instrumented.
#include "instrument/module.h"

#include <dlfcn.h>

#include <cstddef>

using heddle::instrument::Module;

// heddle-gcc-calls.s puts this into every object file that gcc makes. Where the field moves, heddle_module must get
// another name there and here, so that old object files are refused by the linker.
static_assert(offsetof(Module, accesses) == 8);

constinit Module heddle_module;
constinit heddle::instrument::BenignRace heddle_benign_race_before = nullptr;

namespace {

using Call = void (*)(Module*);
bool attached = false;
// Looked for at the beginning: the loader writes to its own memory when it is asked, which every execution under Heddle
// would have to restore if that were done at its end.
Call runtime_detach = nullptr;

Call find(const char* name) { return reinterpret_cast<Call>(dlsym(RTLD_DEFAULT, name)); }

__attribute__((destructor)) void detach() {
  if (runtime_detach != nullptr) runtime_detach(&heddle_module);
}

}  // namespace

HEDDLE_INSTRUMENT void __tsan_init() {
  if (attached) return;
  attached = true;
  heddle_module.code = reinterpret_cast<const void*>(&__tsan_init);
  const Call attach = find("heddle_instrument_attach");
  if (attach == nullptr) return;
  runtime_detach = find("heddle_instrument_detach");
  heddle_benign_race_before =
      reinterpret_cast<heddle::instrument::BenignRace>(dlsym(RTLD_DEFAULT, "heddle_instrument_benign_race"));
  attach(&heddle_module);
}

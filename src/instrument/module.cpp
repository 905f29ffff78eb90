// Gives this module to the runtime as soon as it is loaded, if there is one. The compiler has each instrumented file
// call __tsan_init() at its start, before constructors that may make accesses; the earliest of those does it. A module
// into which this library was linked, but no instrumented file, gives nothing: it is not instrumented.
#include "instrument/module.h"

#include <dlfcn.h>

#include <cstddef>

using heddle::instrument::Module;

// heddle-gcc-calls.s puts this into every object file that gcc makes. Where the field moves, heddle_module must get
// another name there and here, so that old object files are refused by the linker.
static_assert(offsetof(Module, accesses) == 8);

constinit Module heddle_module;

namespace {

using Call = void (*)(Module*);
bool attached = false;

void call(const char* name) {
  if (const auto function = reinterpret_cast<Call>(dlsym(RTLD_DEFAULT, name)); function != nullptr)
    function(&heddle_module);
}

__attribute__((destructor)) void detach() {
  if (attached) call("heddle_instrument_detach");
}

}  // namespace

HEDDLE_INSTRUMENT void __tsan_init() {
  if (attached) return;
  attached = true;
  heddle_module.code = reinterpret_cast<const void*>(&__tsan_init);
  call("heddle_instrument_attach");
}

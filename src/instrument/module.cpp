// Gives this module to the runtime as soon as it is loaded, if there is one. Each instrumented file calls __tsan_init()
// at its start, before constructors that may make accesses; the first of these calls registers the module. A module
// with this library but without an instrumented file registers nothing: it is not instrumented.
#include "instrument/module.h"

#include <dlfcn.h>

#include <cstddef>

using heddle::instrument::Module;

extern "C" {
extern void* __dso_handle __attribute__((visibility("hidden")));
int __cxa_atexit(void (*handler)(void*), void* argument, void* library);
}

// heddle-gcc-calls.s puts this into every object file that gcc makes. Where the field moves, heddle_module must get
// another name there and here, so that old object files are refused by the linker.
static_assert(offsetof(Module, accesses) == 8);

// libstdc++ has them in each module that uses std::atomic::wait, or what stands on it: latches, barriers, semaphores
// (__waiter_pool_base::_S_for()).
extern "C" const char heddle_standard_waiters[] __asm__("_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w")
    __attribute__((weak));

constinit Module heddle_module;
constinit heddle::instrument::BenignRace heddle_benign_race_before = nullptr;

namespace {

using Call = void (*)(Module*);
bool attached = false;

Call find(const char* name) { return reinterpret_cast<Call>(dlsym(RTLD_DEFAULT, name)); }

}  // namespace

HEDDLE_INSTRUMENT void __tsan_init() {
  if (attached) return;
  attached = true;
  heddle_module.code = reinterpret_cast<const void*>(&__tsan_init);
  heddle_module.waiters = heddle_standard_waiters;
  const Call attach = find("heddle_instrument_attach");
  if (attach == nullptr) return;
  // Not by a destructor of this module: nobody could tell it from one of the program's, of which the runtime wants to
  // know whether there are any (runtime/control/program_end.cpp).
  if (void* const detach = dlsym(RTLD_DEFAULT, "heddle_instrument_detach"); detach != nullptr)
    __cxa_atexit(reinterpret_cast<void (*)(void*)>(detach), &heddle_module, &__dso_handle);
  heddle_benign_race_before =
      reinterpret_cast<heddle::instrument::BenignRace>(dlsym(RTLD_DEFAULT, "heddle_instrument_benign_race"));
  attach(&heddle_module);
}

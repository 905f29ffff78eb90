// See perform.h.
#include "runtime/system_calls/perform.h"

#include <sys/syscall.h>

#include <array>

#include "runtime/calls/waiting.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

namespace {

using Performer = long (*)(const SystemCall&, Site);

constexpr long kSystemCalls = 512;  // more than Linux has numbers for

constexpr std::array<Performer, kSystemCalls> make_performers() {
  std::array<Performer, kSystemCalls> performers{};
#define HEDDLE_MODELLED_CALL(name, function) performers[SYS_##name] = function;
#include "runtime/system_calls/modelled.def"
#undef HEDDLE_MODELLED_CALL
  return performers;
}

constexpr std::array<Performer, kSystemCalls> kPerformers = make_performers();

}  // namespace

bool is_modelled(const SystemCall& call) { return heddle_is_operation(call.number); }

long perform_system_call(const SystemCall& call, Site site) {
  long result = kRestarts;
  while (result == kRestarts) result = kPerformers[call.number](call, site);  // is_modelled() said so
  return result;
}

}  // namespace heddle::runtime

extern "C" __attribute__((used, noinline, visibility("hidden"), target("general-regs-only"))) bool heddle_is_operation(
    long number) {
  using namespace heddle::runtime;
  if (runtime.mode != Mode::Branching || runtime.inside) return false;
  return number >= 0 && number < kSystemCalls && kPerformers[static_cast<unsigned long>(number)] != nullptr;
}

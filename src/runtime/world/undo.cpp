// See undo.h.
#include "runtime/world/undo.h"

#include <signal.h>

#include "runtime/os/signal_action.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/reservations.h"
#include "runtime/world/undo_descriptors.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kSignals = 65;
constexpr unsigned kMaxMappings = 4096;

struct NewMapping {
  std::uintptr_t address;
  std::size_t bytes;
};

struct PermanentKernelState {
  std::uint64_t mask;             // of signals, at the branching point
  std::uintptr_t break_;          // end of the kernel's heap, at the branching point
  std::uint64_t actions_changed;  // a bit per signal
  os::SignalAction actions[kSignals];
  NewMapping* mappings;
  unsigned mapping_count;
  bool mask_changed, break_changed, output_flags_changed, lasting_effect;
};
HEDDLE_PERMANENT PermanentKernelState state{};

}  // namespace

void note_kernel_state() {
  state.mask = os::replace_signal_mask(~std::uint64_t{0});
  os::replace_signal_mask(state.mask);
  state.break_ = static_cast<std::uintptr_t>(os::system_call(SYS_brk, 0));
  state.mappings = static_cast<NewMapping*>(os::reserve_or_die(sizeof(NewMapping) * kMaxMappings));
  note_reservations();
}

void undo_kernel_state(long output_size) {
  for (; state.actions_changed != 0; state.actions_changed &= state.actions_changed - 1) {
    const int signal = __builtin_ctzll(state.actions_changed) + 1;
    os::set_signal_action(signal, &state.actions[signal], nullptr);
  }
  if (state.mask_changed) os::replace_signal_mask(state.mask);
  if (state.break_changed) os::system_call(SYS_brk, static_cast<long>(state.break_));
  for (unsigned i = 0; i < state.mapping_count; ++i)
    os::system_call(SYS_munmap, static_cast<long>(state.mappings[i].address),
                    static_cast<long>(state.mappings[i].bytes));
  take_back();
  undo_reservations();  // behind the mappings that lay on them
  undo_descriptors();
  if (state.output_flags_changed) restore_output_flags();
  undo_output(output_size);
  state.mapping_count = 0;
  state.mask_changed = state.break_changed = state.output_flags_changed = false;
  state.lasting_effect = false;
}

void on_signal_action(int signal) {
  const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
  if ((state.actions_changed & bit) != 0) return;
  if (os::set_signal_action(signal, nullptr, &state.actions[signal]) == 0) state.actions_changed |= bit;
}

void on_signal_mask() { state.mask_changed = true; }

bool on_new_mapping(std::uintptr_t address, std::size_t bytes) {
  if (state.mapping_count == kMaxMappings) return false;
  state.mappings[state.mapping_count++] = {address, bytes};
  return true;
}

void on_break() { state.break_changed = true; }
void on_output_flags() { state.output_flags_changed = true; }
void on_lasting_effect() { state.lasting_effect = true; }
bool has_lasting_effect() { return state.lasting_effect; }
bool output_flags_changed() { return state.output_flags_changed; }

bool kernel_state_changed() {
  return state.actions_changed != 0 || state.mask_changed || state.break_changed || state.mapping_count != 0 ||
         state.output_flags_changed || reservations_changed() || is_anything_aside() || descriptors_changed();
}

std::uintptr_t break_before() { return state.break_; }

}  // namespace heddle::runtime

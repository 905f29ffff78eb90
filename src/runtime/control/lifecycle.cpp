// See lifecycle.h.
#include "runtime/control/lifecycle.h"

#include <string.h>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/effects.h"
#include "runtime/calls/sanitizer.h"
#include "runtime/control/crash.h"
#include "runtime/detect/monitor/monitor.h"
#include "runtime/intercept/loader.h"
#include "runtime/os/system_call.h"
#include "runtime/patch/atomics.h"
#include "runtime/patch/time_stamps.h"
#include "runtime/ring/memory_names.h"
#include "runtime/ring/output.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/loops.h"
#include "runtime/schedule/points.h"
#include "runtime/schedule/policy/policy.h"
#include "runtime/schedule/spin_places.h"
#include "runtime/schedule/yields.h"
#include "runtime/snapshot/variables.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/children.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/held_output.h"
#include "runtime/world/input_notes.h"
#include "runtime/world/inputs.h"
#include "runtime/world/private_files.h"
#include "runtime/world/relatives.h"
#include "runtime/world/signals/change_action.h"
#include "runtime/world/signals/masks.h"
#include "runtime/world/streams.h"

namespace heddle::runtime {
namespace {

void prepare_signals() {
  learn_restorer();
  make_signals_virtual();
}

void find_stacks() { prepare_stacks(false); }
void begin_stacks() {
  runtime.record_stacks = (plan().flags & PlanFlags::Stacks) != 0;
  if (runtime.record_stacks) prepare_stacks(true);
}

void begin_world() {
  const unsigned flags = plan().flags;
  runtime.slow_threads = config.slow_threads != 0 && (flags & PlanFlags::Punctual) == 0;
  runtime.world->schedule().be_fair(config.fair != 0 && (flags & PlanFlags::Unfair) == 0);
  runtime.world->schedule().begin_branching();
}
void begin_policy() { start_policy(plan()); }

void note_all_descriptors() {
  note_descriptors();
  note_standard_output();
  note_open_descriptors();
}

// A fresh start has these anew.
void keep_children() {
  if (config.isolation != IsolationKind::Exec) adopt_children();
}
void keep_private_files() {
  if (config.isolation != IsolationKind::Exec) find_private_files();
}

// The kernel would write there on which processor the thread runs: memory would not be as it was, whatever the program
// does (loops.h).
void leave_restartable_sequences() {
  os::unregister_restartable_sequences(runtime.tasks[kernel_thread()].thread_pointer);
}

void record_tasks() {
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id) {
    const auto task = static_cast<TaskId>(id);
    record_task(task, reinterpret_cast<Site>(runtime.tasks[id].entry));
    if (runtime.world->task(task).timer)
      record_message(MessageKind::TaskName, task, runtime.tasks[id].name, strlen(runtime.tasks[id].name));
  }
}

using Moment = void (*)();
struct Module {
  const char* name;  // for the reader of the table
  Moment at_branching, at_begin, at_end;
};

// Each column from top to bottom. What must come before what:
// - the loaded files before whatever looks into them;
// - the output is written before descriptors are noted, so that their positions are those that executions begin with;
// - the world begins before the policy and the monitors, which ask it for its tasks;
// - the default is looked for (look_ahead) when policy, monitors and loops have said what they want;
// - tasks are recorded before whatever names one.
constexpr Module kModules[] = {
    {"time stamps", replace_time_stamps, nullptr, nullptr},
    {"atomics", patch_atomics, nullptr, nullptr},
    {"loaded files", note_loaded_files, nullptr, nullptr},
    {"modules", publish_modules_at_start, nullptr, nullptr},
    {"variables", find_variables, nullptr, record_variables},
    {"sleeping loops", find_sleeping_loops, nullptr, nullptr},
    {"spin places", find_spin_places, nullptr, nullptr},
    {"sanitizer", find_sanitizer, nullptr, nullptr},
    {"signals", prepare_signals, nullptr, nullptr},
    {"stacks", find_stacks, begin_stacks, nullptr},
    {"crashes", install_crash_handlers, nullptr, nullptr},
    {"world", nullptr, begin_world, nullptr},
    {"policy", nullptr, begin_policy, nullptr},
    {"monitors", prepare_monitors, begin_monitors, end_monitors},
    {"loops", nullptr, begin_loop_detection, nullptr},
    {"scheduler", nullptr, look_ahead, nullptr},
    {"output", flush_output, nullptr, nullptr},
    {"descriptors", note_all_descriptors, nullptr, nullptr},
    {"shared memory", note_shared_memory, nullptr, nullptr},
    {"points", make_points, nullptr, nullptr},
    {"children", keep_children, forget_relatives, nullptr},
    {"private files", keep_private_files, nullptr, nullptr},
    {"restartable sequences", leave_restartable_sequences, nullptr, nullptr},
    {"tasks", nullptr, record_tasks, nullptr},
    {"inputs", nullptr, record_early_inputs, nullptr},
    {"loader", nullptr, record_early_note, nullptr},
    {"memory names", nullptr, record_memory_names, nullptr},
};

template <Moment Module::*kMoment>
void run_all() {
  for (const Module& module : kModules)
    if (module.*kMoment != nullptr) (module.*kMoment)();
}

}  // namespace

void prepare_modules() { run_all<&Module::at_branching>(); }
void begin_modules() { run_all<&Module::at_begin>(); }
void end_modules() { run_all<&Module::at_end>(); }

}  // namespace heddle::runtime

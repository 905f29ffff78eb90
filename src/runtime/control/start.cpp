// The beginning: attaching to the driver, and the way into main().
#include <stdio.h>
#include <stdlib.h>

#include "protocol/page.h"
#include "runtime/calls/files.h"
#include "runtime/carrier/threads.h"
#include "runtime/control/isolation.h"
#include "runtime/control/program_end.h"
#include "runtime/heap/block_history.h"
#include "runtime/heap/program_heap.h"
#include "runtime/intercept/processes.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/patch/time_stamps.h"
#include "runtime/state/environment.h"
#include "runtime/state/imports.h"
#include "runtime/state/objects.h"
#include "runtime/state/places.h"
#include "runtime/state/processors.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"
#include "runtime/state/thread_pointer.h"
#include "runtime/state/time_base.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/inherited.h"
#include "runtime/world/inputs.h"
#include "runtime/world/vdso.h"

namespace heddle::runtime {

Runtime runtime;
HEDDLE_PERMANENT constinit PermanentState permanent_state{};
HEDDLE_PERMANENT constinit PermanentConfig config{};

namespace {

struct ProcessMain {
  int (*function)(int, char**, char**) = nullptr;
};
constinit ProcessMain process_main{};

void make_model() {
  model::Limits limits;
  limits.timeouts = config.timeouts;
  limits.fair = config.fair != 0;
  limits.spurious_wakeups = config.spurious_wakeups;
  limits.stale = config.max_stale;
  runtime.world = model::World::create(os::allocate, limits);
  runtime.world->advance_clock(kTimeBase);
  runtime.tasks.ensure(0, os::allocate);
  runtime.tasks[0] = TaskData();
}

// Runs after every handler that the program registers: ours is the first.
void at_last_exit(int status, void*) {
  if (runtime.mode == Mode::Alone && start_mark_wanted())
    runtime.shared->status.problem.store(LaunchProblem::StartNotReached);
  finish_execution(status, Ending::Exit);
}

// main() begins at the upper end of a page, and exit() is called from there, too, not from libc's frames in the page
// above: so a small program writes to one page of its stack, where it would be two by chance.
int main_through_us(int count, char** arguments, char** environment) {
  constexpr std::uintptr_t kPage = kPageBytes;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  void* const rest_of_page = __builtin_alloca(here % kPage);
  __asm__ volatile("" : : "r"(rest_of_page) : "memory");  // or it would be left out
  const int status = run_main(process_main.function, count, arguments, environment);
  note_return_from_main();
  exit(status);
}

}  // namespace

void initialize() {
  if (runtime.mode != Mode::Uninitialized) return;
  real::resolve_always_there();
  // A sanitizer's runtime may call what we interpose before any constructor has run: until on_load() all goes to libc.
  runtime.mode = Mode::PassThrough;
  real::resolve_perhaps_there();
}

namespace {

void take_over(char** arguments, char** environment) {
  if (!attach_to_driver(arguments, environment)) return;
  choose_thread_pointers();
  make_model();
  note_static_memory();
  prepare_inputs(arguments);
  redirect_vdso();
  replace_time_stamps();
  runtime.tasks[0].thread_pointer = thread_pointer();
  note_inherited_descriptors();
  note_own_folder();
  pin_to_processor();
  real::on_exit(at_last_exit, nullptr);
  watch_quick_exit();
  watch_forks();
  if (config.line_buffered != 0) setvbuf(stdout, nullptr, _IOLBF, 0);
  runtime.mode = Mode::Alone;
}

// The first constructor of all (the library is linked with -z initfirst).
__attribute__((constructor)) void on_load(int, char** arguments, char** environment) {
  initialize();
  take_over(arguments, environment);
  settle_heap();
}

}  // namespace
}  // namespace heddle::runtime

HEDDLE_EXPORT int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(),
                                    void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  using namespace heddle::runtime;
  initialize();
  process_main.function = main;
  const bool ours = runtime.mode != Mode::PassThrough;
  if (!ours) return real::libc_start_main(main, count, arguments, init, fini, rtld_fini, stack_end);
  note_main_stack(stack_end);
  if (any_thread_unwinds()) prepare_stacks(true);  // glibc would load the unwinder in each execution anew
  if (config.note_blocks) {
    prepare_stacks(false);  // to load one that the program has not would move its mappings
    begin_noting_blocks();
  }
  begin_program_heap();
  return real::libc_start_main(main_through_us, count, arguments, init, fini, watch_program_end(rtld_fini), stack_end);
}

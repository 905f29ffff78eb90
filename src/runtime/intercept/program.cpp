// The functions behind include/heddle/heddle.h, which looks for heddle_functions_1 when the program is loaded. The
// table only grows at its end; an older program uses the beginning of it.
#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/ring/memory_names.h"
#include "runtime/ring/recorder.h"
#include "runtime/schedule/points.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

bool begins_here() { return controlled() && runtime.mode == Mode::Alone && !start_mark_wanted(); }

void start() {
  if (begins_here()) begin_branching();
}

constexpr int kMaxAlternatives = 10'000;

int choose(int count) {
  if (!controlled() || count <= 1) return 0;
  if (count > kMaxAlternatives) {
    note(
        "heddle_choose() was asked for more than 10,000 alternatives: the execution was ended there without a verdict");
    leave_execution(EndKind::Killed);
  }
  start();
  model::Operation& draft = draft_operation();
  draft.kind = OperationKind::Choose;
  draft.argument = static_cast<std::uint64_t>(count);
  draft.site = HEDDLE_CALLER;
  return perform_draft();
}

struct ExecutionIteration {
  bool iterated = false;
};
constinit ExecutionIteration execution_iteration{};

int iterate() {
  if (!controlled()) return 1;
  start();
  const bool first = !execution_iteration.iterated;
  execution_iteration.iterated = true;
  return first ? 1 : 0;
}

void begin_atomic() {
  if (!controlled()) return;
  runtime.atomic_regions = true;
  runtime.only_recorded = false;
  ++current_data().atomic_depth;
}

void end_atomic() {
  if (controlled() && current_data().atomic_depth != 0) --current_data().atomic_depth;
}

const char unnamed_memory = 0;

void point(const volatile void* address) {
  if (!controlled()) return;
  if (address == nullptr) name_memory(address = &unnamed_memory, 1, "memory that is not named");
  point_of_program(const_cast<const void*>(address), HEDDLE_CALLER);
}

struct ProgramFunctions {
  void (*start)();
  int (*choose)(int count);
  int (*iterate)();
  void (*benign_race)(const void* address, std::size_t size);
  void (*atomic_begin)();
  void (*atomic_end)();
  void (*point)(const volatile void* address);
  void (*name)(const volatile void* address, std::size_t size, const char* name);
};

constexpr ProgramFunctions kFunctions = {start,        choose,     iterate, races_benign,
                                         begin_atomic, end_atomic, point,   name_memory};

}  // namespace
}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_EXPORT const void* heddle_functions_1(unsigned size) {
  return controlled() && size <= sizeof kFunctions ? &kFunctions : nullptr;
}

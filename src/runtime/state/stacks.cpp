// See stacks.h. The unwinder is libgcc's, which every C++ program has loaded anyway; it takes no locks with glibc 2.35
// and newer. A C program gets it only when stacks are wanted: as a part of libheddle.so it would cost every fork five
// mappings.
#include "runtime/state/stacks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unwind.h>

#include "runtime/os/system_call.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/scripts.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {
namespace {

struct ExecutionUnwinder {
  decltype(&_Unwind_Backtrace) backtrace = nullptr;
  decltype(&_Unwind_GetIP) get_ip = nullptr;
  decltype(&_Unwind_GetCFA) get_cfa = nullptr;
  decltype(&_Unwind_GetGR) get_register = nullptr;
};
constinit ExecutionUnwinder execution_unwinder{};

void find_unwinder(void* library) {
  execution_unwinder.backtrace =
      reinterpret_cast<decltype(execution_unwinder.backtrace)>(dlsym(library, "_Unwind_Backtrace"));
  execution_unwinder.get_ip = reinterpret_cast<decltype(execution_unwinder.get_ip)>(dlsym(library, "_Unwind_GetIP"));
  execution_unwinder.get_cfa = reinterpret_cast<decltype(execution_unwinder.get_cfa)>(dlsym(library, "_Unwind_GetCFA"));
  execution_unwinder.get_register =
      reinterpret_cast<decltype(execution_unwinder.get_register)>(dlsym(library, "_Unwind_GetGR"));
}

struct ExecutionWalk {
  void** end = nullptr;  // where a walk that faults goes on; null: none is under way
  bool left = false;     // a fault on the way there is another one
};
constinit ExecutionWalk execution_walk{};

[[noreturn]] void end_walk() { __builtin_longjmp(execution_walk.end, 1); }

// Calls the unwinder, which may meet a stack that the program has damaged.
[[gnu::noinline]] void walk_frames(_Unwind_Trace_Fn visit, void* argument) {
  const InsideScope inside;
  void* end[5];
  if (__builtin_setjmp(end) == 0) {
    execution_walk.end = end;
    execution_unwinder.backtrace(visit, argument);
  }
  execution_walk.end = nullptr;
  execution_walk.left = false;
}

struct Walk {
  TaskData* data;
  Site innermost;
  bool found = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  const Site pc = execution_unwinder.get_ip(context);
  walk.found = walk.found || pc == walk.innermost;
  if (!walk.found) return _URC_NO_REASON;
  if (pc == 0 || walk.data->stack_depth == kStackCapacity) return _URC_END_OF_STACK;
  // What is called the CFA here is that of the frame before: where the stack ends for this one.
  constexpr int kFramePointer = 6;
  frame_registers(*walk.data)[walk.data->stack_depth] = {execution_unwinder.get_cfa(context),
                                                         execution_unwinder.get_register(context, kFramePointer)};
  walk.data->stack[walk.data->stack_depth++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

void prepare_stacks(bool load) {
  if (execution_unwinder.backtrace != nullptr) return;
  const InsideScope inside;
  // By its file where that is loaded: libunwind has functions of the same names, which take locks.
  void* const loaded = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);
  find_unwinder(loaded != nullptr ? loaded : RTLD_DEFAULT);
  if (execution_unwinder.backtrace == nullptr && load)
    if (void* library = dlopen("libgcc_s.so.1", RTLD_NOW); library != nullptr) find_unwinder(library);
  // Its first use in a process initialises it by pthread_once: now, so that it is never a step of the program's.
  if (execution_unwinder.backtrace != nullptr)
    execution_unwinder.backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

bool has_unwinder() { return execution_unwinder.backtrace != nullptr; }

bool leave_unwinder(greg_t* registers) {
  constexpr greg_t kRedZone = 128;
  if (execution_walk.end == nullptr || execution_walk.left) return false;
  execution_walk.left = true;
  registers[REG_RSP] = ((registers[REG_RSP] - kRedZone) & ~greg_t{15}) - 8;  // as behind a call
  registers[REG_RIP] = reinterpret_cast<greg_t>(&end_walk);
  return true;
}

FrameRegisters* frame_registers(const TaskData& data) {
  return reinterpret_cast<FrameRegisters*>(data.stack + kStackCapacity);
}

namespace {

// A task that is in a script has the frames of that, and none of the interpreter's: these say nothing, and are many.
bool capture_script_stack(TaskData& data, Site innermost) {
  const unsigned above = is_in_script(innermost) ? 0 : 1;  // a place in code that the interpreter called
  const unsigned count = script_stack(data.script, data.stack + above, kStackCapacity - above);
  if (count == 0) return false;
  data.stack_depth = static_cast<std::uint16_t>(above + count);
  for (unsigned i = 0; i < data.stack_depth; ++i) frame_registers(data)[i] = {};
  return true;
}

}  // namespace

void capture_stack(TaskId task, Site innermost) {
  TaskData& data = runtime.tasks[task];
  data.stack_depth = 0;
  if (innermost == 0) return;
  if (data.stack == nullptr)
    data.stack = static_cast<Site*>(os::allocate((sizeof(Site) + sizeof(FrameRegisters)) * kStackCapacity));
  data.stack[0] = innermost;
  frame_registers(data)[0] = {};
  if (capture_script_stack(data, innermost)) return;
  data.stack_depth = execution_unwinder.backtrace == nullptr ? 1 : 0;
  if (execution_unwinder.backtrace == nullptr) return;
  Walk walk{&data, innermost};
  walk_frames(visit, &walk);
  if (data.stack_depth == 0) data.stack[data.stack_depth++] = innermost;
}

void capture_stack_from_signal(TaskId task, Site program_counter) { capture_stack(task, program_counter); }

Site capture_stack_of_call(TaskId task, Site site) {
  if (site == 0) return 0;
  capture_stack(task, site);
  return runtime.tasks[task].stack[0] = site - 1;
}

namespace {

struct ProcessCode {
  OwnImage image;
};
constinit ProcessCode process_code{};

struct ProgramWalk {
  Site* to;
  unsigned capacity;
  unsigned depth;
};

_Unwind_Reason_Code visit_program(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<ProgramWalk*>(argument);
  const Site pc = execution_unwinder.get_ip(context);
  if (pc == 0 || walk.depth == walk.capacity) return _URC_END_OF_STACK;
  if (walk.depth == 0 && pc >= process_code.image.code_begin && pc < process_code.image.code_end) return _URC_NO_REASON;
  walk.to[walk.depth++] = pc;
  return _URC_NO_REASON;
}

}  // namespace

unsigned capture_program_stack(Site* to, unsigned capacity) {
  if (execution_unwinder.backtrace == nullptr) return 0;
  if (process_code.image.end == 0) process_code.image = own_image();
  ProgramWalk walk{to, capacity, 0};
  walk_frames(visit_program, &walk);
  return walk.depth;
}

__attribute__((noinline, cold)) void refuse_foreign_thread(const model::Operation& operation) {
  char text[160];
  snprintf(text, sizeof text,
           "a thread that was not created through pthread_create called an operation (%s): it is not "
           "controlled, so the execution was ended",
           name(operation.kind));
  end_unjudged(kNoTask, text);
}

}  // namespace heddle::runtime

// The ends of the process. Other processes are in fork.cpp.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/intercept/intercept.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

extern "C" int __cxa_at_quick_exit(void (*handler)(void*), void* library);

namespace heddle::runtime {
namespace {

struct ExecutionExit {
  int quick_exit_status = 0;
};
constinit ExecutionExit execution_exit{};

void at_last_quick_exit(void*) { finish_execution(execution_exit.quick_exit_status, Ending::AtOnce); }

}  // namespace

void watch_quick_exit() { __cxa_at_quick_exit(at_last_quick_exit, nullptr); }

}  // namespace heddle::runtime

HEDDLE_EXPORT void _exit(int status) {
  if (controlled()) {
    note_exit(HEDDLE_CALLER);
    finish_execution(status, Ending::AtOnce);
  }
  real::_exit(status);
  __builtin_unreachable();
}

// Its last handler does not learn the status.
HEDDLE_EXPORT void quick_exit(int status) {
  if (controlled()) {
    note_exit(HEDDLE_CALLER);
    execution_exit.quick_exit_status = status;
  }
  real::quick_exit(status);
  __builtin_unreachable();
}

HEDDLE_EXPORT void _Exit(int status) {
  if (controlled()) note_exit(HEDDLE_CALLER);
  _exit(status);
}

namespace {

// abort() asks which thread runs. Whichever it is, it ends: that tells it from no other.
void ask_nothing_of_it() {
  if (!is_foreign_thread()) current_data().told_apart = true;
}

}  // namespace

HEDDLE_EXPORT void abort() {
  if (controlled()) {
    runtime::runtime.aborted_at = HEDDLE_CALLER - 1;  // as a fault has it: the place of an instruction
    ask_nothing_of_it();
  }
  real::abort();
  __builtin_unreachable();
}

HEDDLE_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (controlled()) {
    char text[1024];
    const int size = snprintf(text, sizeof text, "%s%c%s%c%u%c%s", expression, 0, file, 0, line, 0,
                              function != nullptr ? function : "");
    record_message(MessageKind::AssertionFailed, current_task(), text,
                   static_cast<std::size_t>(size) < sizeof text ? static_cast<std::size_t>(size) : sizeof text - 1);
    ask_nothing_of_it();
  }
  real::assert_fail(expression, file, line, function);
  __builtin_unreachable();
}

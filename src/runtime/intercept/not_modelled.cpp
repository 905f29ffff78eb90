// What the program may call and Heddle does not model: named, never silently wrong.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/intercept/intercept.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recorder.h"
#include "runtime/threads.h"

namespace heddle::runtime {

void not_modelled(const char* function) {
  if (runtime.mode == Mode::Alone) begin_branching();  // so that there is an execution to say it in
  char text[200];
  const int name_length = static_cast<int>(strcspn(function, "( "));  // what the line of docs/API.md is called
  const int size = snprintf(text, sizeof text,
                            "the program called %s, which Heddle does not model: the execution was ended there "
                            "without a verdict (docs/API.md#%.*s)",
                            function, name_length, function);
  record_message(MessageKind::Note, runtime.current, text, static_cast<std::size_t>(size));
  leave_execution(EndKind::Killed);
}

}  // namespace heddle::runtime

using namespace heddle;
using namespace heddle::runtime;

HEDDLE_EXPORT sem_t* sem_open(const char* name, int flags, ...) {
  if (controlled()) not_modelled("sem_open");
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  const unsigned value = (flags & O_CREAT) != 0 ? va_arg(list, unsigned) : 0;
  va_end(list);
  return real::sem_open(name, flags, mode, value);
}

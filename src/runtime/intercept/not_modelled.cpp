// What the program may call and Heddle does not model: named, never silently wrong.
#include <stdio.h>
#include <string.h>

#include "runtime/intercept/intercept.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recorder.h"

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

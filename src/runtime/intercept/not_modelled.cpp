// Calls that Heddle does not model: a note names them, so they are never silently wrong.
#include <stdio.h>
#include <string.h>

#include "runtime/intercept/intercept.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

void not_modelled(const char* function, Site site) {
  if (runtime.mode == Mode::Alone) begin_branching();  // so that there is an execution to say it in
  char text[240];
  const int name_length = static_cast<int>(strcspn(function, "( "));  // what the line of docs/API.md is called
  snprintf(text, sizeof text,
           "the program called %s{at %#lx}, which Heddle does not model: the execution was ended there "
           "without a verdict (docs/API.md#%.*s)",
           function, site, name_length, function);
  end_unjudged(runtime.current, text);
}

}  // namespace heddle::runtime

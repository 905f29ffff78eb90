// What the program may call and Heddle does not model: named, never silently wrong.
#include <pthread.h>
#include <stdio.h>

#include "runtime/intercept/intercept.h"
#include "runtime/isolation/isolation.h"
#include "runtime/recorder.h"

namespace heddle::runtime {

void not_modelled(const char* function) {
  char text[200];
  const int size = snprintf(text, sizeof text, "the program called %s, which Heddle does not model: the execution was ended there "
                            "without a verdict (docs/LIMITATIONS.md)", function);
  record_message(MessageKind::Note, runtime.current, text, static_cast<std::size_t>(size));
  leave_execution(EndKind::Killed);
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_EXPORT int pthread_cancel(pthread_t thread) {
  if (!controlled()) return real::pthread_cancel(thread);
  not_modelled("pthread_cancel");
}

// mq_notify: see system_calls/queue_notices.h.
#include "runtime/system_calls/queue_notices.h"

#include <mqueue.h>

#include "runtime/intercept/intercept.h"
#include "runtime/intercept/start_mark.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/signals/masks.h"

using namespace heddle;
using namespace heddle::runtime;

HEDDLE_EXPORT int mq_notify(mqd_t queue, const sigevent* event) {
  if (!controlled()) return real::mq_notify(queue, event);
  // What it asks for comes while the program may still have one thread only.
  if (runtime::runtime.mode == Mode::Alone && event != nullptr && !start_mark_wanted()) begin_branching();
  if (runtime::runtime.mode != Mode::Branching) return real::mq_notify(queue, event);
  if (event != nullptr) read_as_libc_does(&event->sigev_notify);
  make_signals_virtual();
  return static_cast<int>(as_libc_returns(ask_for_notice(queue, event, HEDDLE_CALLER)));
}

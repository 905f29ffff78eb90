// mq_notify: a notification that a message has come to an empty queue. The kernel keeps the registration, for all
// processes alike. The notification is made here, in the name of the thread that sends: a signal, as a step of its own,
// or a thread.
#pragma once

#include <signal.h>

#include "protocol/operations.h"

namespace heddle::runtime {

// mq_notify(); `event` may be null. 0 or -errno.
long ask_for_notice(long queue, const sigevent* event, Site site);

// Around the sending of a message, where another task can't come between.
class QueueNotice {
 public:
  QueueNotice(long queue, bool sends, Site site);
  // The message has been sent: the notice is taken, if there is one.
  void sent();
  // Makes what was taken: may be a step.
  void give(Site site);

 private:
  std::uint32_t place_;  // in the table; beyond it: nobody is registered
  long queue_;
  bool taken_ = false;
};

}  // namespace heddle::runtime

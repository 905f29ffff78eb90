// Descriptors that become readable when a time is over (timerfd), in virtual time. To the kernel each is an eventfd, to
// which the timer's task adds the expirations; so the kernel does the reading and waiting.
#pragma once

namespace heddle::runtime {

// A read is about to be made: what a timer would have counted since it has expired is added, and it goes on.
void before_timer_is_read(long descriptor);

}  // namespace heddle::runtime

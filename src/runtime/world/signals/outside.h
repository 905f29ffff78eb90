// Signals from other processes, and those by which the kernel reports the ends of children. The kernel holds them back
// while executions run. They are taken from it at places that depend on the steps alone, as far as that is possible.
// Then a task sends them on, in a step of its own: so a handler runs at a point of a thread that does not block the
// signal.
#pragma once

#include <cstdint>

#include "protocol/operations.h"

namespace heddle::runtime {

// What the kernel is to hold back: to be blocked there, whatever masks the program has. The execution begins with it.
std::uint64_t held_back_signals();
void signals_are_held_back();

// What has come meanwhile is on its way: has anything?
bool take_outside_signals();
// Waits until all children have come to rest, if a call was made that may let one go on; then takes the signals that
// they have sent.
void settle_children();
// A descriptor of the program's sends signals when something comes to it (O_ASYNC, F_SETOWN): they are there as soon as
// the call that brought it.
void note_signalling_descriptor();
void take_signals_of_descriptors();
// A child was started. If its end matters to the program, it gets to run to where it waits or has ended.
void child_was_started();
// The program is going to notice these signals, or from now on does: a thread blocks them, or they get a handler. The
// children get to run to where they wait or have ended, so that what is noticed does not depend on how fast they are.
void poll_children(std::uint64_t signals);
// libc has opened signals that it had blocked, as it does behind the start of a process, in the midst of popen() and
// system(), where others may go on before those have returned.
void libc_opens_signals();
// A child has been waited for: its signal came before that, to a thread that lets it in.
void child_was_reaped(int process, Site site);

}  // namespace heddle::runtime

// Signals that the kernel brings to a process that Heddle does not explore: a forked child, or the program before its
// first thread. Their handlers run when the kernel calls them. While such a process rests (relatives.h), which is in
// the midst of the scheduler, they are held back: one that comes interrupts what a task waits for, as it does without
// us, and is let in when the scheduler is done.
#pragma once

namespace heddle::runtime {

void hold_signals();
// Has one come that is not ignored? Then a task is interrupted by it.
bool held_signal_interrupts();

}  // namespace heddle::runtime

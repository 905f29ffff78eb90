// The time in the other processes of the program: in those that it forked, and in the one that forked us. Each has a
// virtual clock of its own, which jumps when nothing can go on but a timeout. So that sleeps of different processes end
// in the order of their times, a process that wants to jump first waits until each of the others rests until a later
// time, has ended, or stands still in a call of its own. Who waits for another process takes over its time.
//
// All of it stands in the memory shared with the driver (Relatives). A process rests when it can go on only at a time,
// or by what another does. Whoever begins to rest may have let another go on before, so it poses a new question: each
// that rests looks once more, and answers if there is nothing. While all answers are to the present question, nobody
// can go on. Who does not answer is waited for only so long: it may be stopped, compute, or execute another program.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// Before a fork: a place for the child, which its parent then waits for even if it has not begun to run.
void expect_child();
// In the child, first of all.
void enter_relatives();
// In the parent, as far as the result of the fork is known (negative: there is no child).
void child_is_known(long child);
// In the process that an execution begins in: there are no others yet.
void forget_relatives();

// Does any other process keep the model? Only then is there anything to wait for.
bool has_timed_relatives();
// The clock has moved.
void show_time();
// The process has ended, and we know: what happened there came before what happens here.
void catch_up_with(int process);
// Another process has done something that we noticed.
void catch_up_with_all();
// Nobody waits for it any more, if it is gone for good.
void forget_relative(int process);

// This process rests from now on, until its own time comes or another does something.
void begin_to_rest(Nanoseconds until);
// It has looked whether anything has come, and nothing has; the question is from before the look.
std::uint32_t present_question();
void looked_in_vain(std::uint32_t question);
// In a process that rests: may time pass to `until`, since nobody else goes on before?
bool may_pass_to(Nanoseconds until);
// Between two looks; each pause is longer than the last.
inline constexpr Nanoseconds kFirstPauseInRest = 20'000;
void pause_in_rest(Nanoseconds& pause);
// It goes on because of what another has done, or since its time has come.
void end_rest(bool by_other);

// We have done something that may let others go on: they look before they count as resting (progress.h).
void ask_relatives();
// All tasks only yield: the others go on, at most until one has passed a time that is earlier than `until`.
void let_relatives_go_on(Nanoseconds until);

}  // namespace heddle::runtime

// Isolation: how one execution is kept from the next.
//   snapshot  the process that reaches the branching point becomes the zygote. It forks one child, which runs one
//             execution after the other and puts its own memory back between them (snapshot.h). When the child dies of
//             what it ran, or has to be set up anew, the zygote forks the next.
//   fork      the zygote forks a child for every plan; the child goes on from the branching point as the execution.
//   exec      the process runs one plan and ends; the driver starts the program afresh for the next.
#pragma once

#include "protocol/records.h"
#include "protocol/shared.h"
#include "runtime/calls/effects.h"

namespace heddle::runtime {

// Branching begins here and now: returns true in each execution, with its plan read and its record begun. False if this
// process is not to be controlled (another one is already); the caller goes on without branching.
bool begin_branching();

// The execution is over before the program ended: its record is closed and the process goes on with the next, or is
// gone.
[[noreturn]] void leave_execution(EndKind kind);

// exit() writes what its streams hold; _exit() and its kin lose it.
enum class Ending : std::uint8_t { Exit, AtOnce };
// The program itself ends (its last exit handler, or _exit): what is still pending is recorded, scheduling stops. Under
// snapshot isolation it does not return: the next execution begins.
void finish_execution(int status, Ending ending);
// The program calls what ends it (exit() and its kin), and that would return to `site`.
void note_exit(Site site);
void note_return_from_main();
// Before the program registers handlers of quick_exit(): so that the last of them is ours.
void watch_quick_exit();
// The same, and the process is gone.
[[noreturn]] void leave_process(int status);

inline constexpr unsigned kEffectCapacity = 800;  // bytes of the text on an effect
// The execution is about to do something that this isolation can't undo: it ends here, before that.
[[noreturn]] void stop_at_effect(const SystemCallEffect& effect, const char* what, const char* call);
// It does something that this isolation undoes, and a cheaper one would not.
void note_effect(const SystemCallEffect& effect);

// The present execution needs more threads than the zygote has parked: where that can be mended by starting it again,
// it is, and this does not return.
void need_more_tasks();

}  // namespace heddle::runtime

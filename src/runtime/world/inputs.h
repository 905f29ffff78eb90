// Inputs that would differ from process to process. Where Heddle controls them, the run's input seed fixes them, so
// that two executions of one plan see the same. Where it does not, they are noted, so that the driver can name them
// when executions differ.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/state/program_call.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

// Once, in the process that is controlled: from the input seed and what the program was called with.
void prepare_inputs(char** arguments);
// In a child that the program forks: it draws other numbers than its parent.
void prepare_inputs_in_child();

// The next random bytes of the running task. Each task has a stream of its own: what one draws does not depend on how
// often others have drawn before, so independent steps stay independent.
void draw(void* buffer, std::size_t bytes);
std::uint32_t draw32();

// Answers a system call that brings time or chance. False: it is none, or not ours to answer.
bool answer_input(const SystemCall& call, long& result);
// Notes what an answered call has brought in from outside. To be called after it was made.
void note_input_of(const SystemCall& call, long result, Site site);

}  // namespace heddle::runtime

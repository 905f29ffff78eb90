// Notes each input that Heddle does not control, so that the driver can name it.
#pragma once

#include "protocol/operations.h"

namespace heddle::runtime {

// The program got something that Heddle does not control: `what` is a noun phrase ("the content of /proc/self/stat").
// Each is recorded once per execution.
void note_input(const char* what, Site site);
// In an execution that begins: what came before the branching point.
void record_early_inputs();

}  // namespace heddle::runtime

// Descriptors that the program inherited when it was started.
#pragma once

namespace heddle::runtime {

// When the program starts.
void note_inherited_descriptors();
bool is_inherited(long descriptor);
// More than are known.
bool inherits_unknown_descriptors();

}  // namespace heddle::runtime

// Functions of libraries that are not libc's, which Heddle takes part in: where the library's own one is.
#pragma once

namespace heddle::runtime {

// `own`: what stands in front of it. Ends the process with a message where no library has it.
void* library_function(const char* name, const void* own);

}  // namespace heddle::runtime

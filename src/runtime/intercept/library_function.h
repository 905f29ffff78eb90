// Finds the library's own function behind one that Heddle interposes, for libraries other than libc.
#pragma once

namespace heddle::runtime {

// `own`: what stands in front of it. Ends the process with a message where no library has it.
void* library_function(const char* name, const void* own);

}  // namespace heddle::runtime

// --start-at=FUNCTION: branching begins when the function is called, rather than at the first thread creation.
#pragma once

namespace heddle::runtime {

bool start_mark_wanted();
// Puts a breakpoint on the function. Called when the program is loaded and has not run yet.
void install_start_mark();

}  // namespace heddle::runtime

// Where tasks stand in scripts: the functions of the program's own files that an interpreter runs, as the interpreter
// tells it (intercept/interpreter.cpp). Steps, objects and call stacks get these places instead of those in the
// interpreter. A script is a file in the table of modules, and its lines are the addresses there (protocol/scripts.h).
#pragma once

#include <cstdint>

#include "protocol/operations.h"
#include "protocol/scripts.h"

namespace heddle::runtime {

// Of one task, the outermost function first. Of deeper ones only the number is known.
inline constexpr unsigned kMaxScriptFrames = 256;
struct ScriptFrames {
  unsigned depth = 0;
  Site sites[kMaxScriptFrames];
};

// Makes the file known to the driver, once. Returns the site before its first line; 0: there is no room for it.
Site add_script(const char* path);
// The running task goes into a function that begins at `site`, is at another place of it, leaves it.
void enter_script_function(Site site);
void move_in_script(Site site);
void leave_script_function();
// Of this task, the innermost first; how many.
unsigned script_stack(const ScriptFrames* frames, Site* to, unsigned capacity);

}  // namespace heddle::runtime

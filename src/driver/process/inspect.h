// What a process that makes no progress is doing, seen from outside: by /proc and by its call stack.
#pragma once

#include <sys/types.h>

#include <string>

namespace heddle {

struct Activity {
  enum class Kind { Unknown, Running, Blocked } kind = Kind::Unknown;
  std::string system_call;  // "read", when blocked
  std::string place;        // "main.cpp:12 in drain", or "libfoo.so+0x1234"; empty when not known
  bool in_runtime = false;  // the place is one of libheddle.so, and no frame of the program was found
};

// Stops the process for a moment. `library`: the path of libheddle.so, whose waiting threads are not of interest.
Activity inspect_process(pid_t process, const std::string& library);

// Is `process` the same as `ancestor`, or a child of it, or a child's child …?
bool descends_from(pid_t process, pid_t ancestor);

}  // namespace heddle

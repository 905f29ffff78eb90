// A system call as the program makes it, and what it does beyond the program's own memory.
#pragma once

#include "protocol/shared.h"

namespace heddle::runtime {

struct SystemCall {
  long number = 0;
  long arguments[6] = {};
};

struct SystemCallEffect {
  EffectLevel level = EffectLevel::None;
  const char* what = nullptr;  // "opens a descriptor"; null at level None
  int descriptor = -1;         // that it concerns, where it is one; the text ends before its name then
  bool seen_outside = true;    // at level Exec: another copy of the program, beside this one, could see it
};

inline constexpr unsigned kEffectCapacity = 800;  // bytes of the text on an effect

}  // namespace heddle::runtime

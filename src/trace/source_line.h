// A line of the program's source, as it is told from others in a program that was edited.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

// A line of the program's source, and an access to memory in it (or a call that gives memory back).
struct SourceLine {
  std::string file;      // without folders; empty: nothing is known
  std::string function;  // short name
  std::string text;      // without the white space around it; empty: it could not be read
  int line = 0;
  // Which one of the accesses in this line of this function, in the order of the code, and of how many; 0 of 0: it is
  // none of them, or that is not known.
  std::uint32_t access = 0, accesses = 0;
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

}  // namespace heddle

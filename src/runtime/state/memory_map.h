// What is mapped in this process, as the kernel tells it.
#pragma once

#include <cstdint>

namespace heddle::runtime {

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool readable = false;
  bool writable = false;
  bool executable = false;
  bool shared = false;
  bool main_stack = false;
  const char* path = "";  // while it is visited; of anonymous memory that is shared, "/dev/zero (deleted)"
};

// A number as /proc writes them; moves `text` behind it.
std::uintptr_t hexadecimal(const char*& text);

// Calls visit(mapping, argument) for each, in ascending order, what is libheddle.so's own apart from its neighbours;
// stops when it returns false. False: /proc can't be read.
bool for_each_mapping(bool (*visit)(const Mapping& mapping, void* argument), void* argument);

// Was it mapped with MAP_GROWSDOWN?
bool grows_by_itself(const Mapping& mapping);

// Where libheddle.so itself lies.
struct OwnImage {
  std::uintptr_t begin = 0, end = 0;            // of the whole file
  std::uintptr_t code_begin = 0, code_end = 0;  // what can be executed
  std::uintptr_t data_begin = 0, data_end = 0;  // what stays writable after relocation
};
OwnImage own_image();

}  // namespace heddle::runtime

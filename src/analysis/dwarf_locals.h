// Variables on a stack: given the frame of a call, which local variable or parameter of the function lies at an
// address. Only the symbolizer includes this.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/memory_origin.h"
#include "analysis/value_type.h"

namespace heddle {

struct DwarfLocal {
  std::string name;  // "counter", "queue.head", "slots[2]"
  Dwarf_Die function;
  ValueType value_type;
};

// `scopes`: what contains `pc` (as linked), innermost first, up to the function. Nothing unless exactly one variable
// that is in scope there is known to lie at the address, or to have a member that begins there.
std::optional<DwarfLocal> local_variable(const std::vector<Dwarf_Die>& scopes, Dwarf_Addr pc, const StackFrame& frame,
                                         std::uint64_t address);

}  // namespace heddle

// What a block of the heap holds. No debug information says so; the functions that are at work on it do: the one that
// allocated it, and those that use what lies in it. A class that one of them knows, and that is as large as the block,
// is its type. Only the symbolizer includes this.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/value_type.h"

namespace heddle {

// A call stack: of each frame what contains its address, innermost first.
using DwarfStack = std::vector<std::vector<Dwarf_Die>>;

struct BlockPart {
  std::uint64_t block_bytes = 0;
  std::uint64_t offset = 0;  // where in the block it begins
  std::uint64_t bytes = 0;   // so large it is, or what it is a part of; 0: not known
};

struct BlockMember {
  std::string name;
  ValueType value_type = {};
};

// "Service.mutex", "Account[1].mutex": what lies there. `allocation` is the stack of the block's allocation, `uses` are
// those of operations on what lies there. Of several classes that fit it is the one that `source` names, the text of
// the lines that allocate. The name is empty where no class fits, or several do.
BlockMember member_of_block(const DwarfStack& allocation, const std::vector<DwarfStack>& uses, const BlockPart& part,
                            std::string_view source);

}  // namespace heddle

// Instructions that change memory in one piece (a lock prefix, or xchg): what one will do, from its bytes and the
// registers. For inline assembly of instrumented modules, and for the runtime, which finds them in plain code.
#pragma once

#include <cstdint>

#include "instrument/table.h"

namespace heddle::instrument {

enum class Change : std::uint8_t {
  Add,
  Or,
  AddWithCarry,
  SubtractWithBorrow,
  And,
  Subtract,
  Xor,  // up to here: as the processor numbers them
  Exchange,
  Not,
  Negate,
  Compare  // and exchange
};

// An instruction that changes memory in one piece. `size` is 0: it is not known, or changes registers only.
struct InlineAtomic : AtomicAccess {
  Change change = Change::Exchange;
  bool carry = false;
};

// `code`: the instruction where it runs, or a copy that addresses the same memory. `registers`: the 16 in the order of
// their numbers, then the flags. `stack` is taken for the stack pointer. Of the result address, size, kind, operand and
// expected value are set, and `perform`, which says what the instruction will do; `caller` is not.
InlineAtomic read_atomic(const std::uint8_t* code, const std::uint64_t* registers, std::uint64_t stack);

}  // namespace heddle::instrument

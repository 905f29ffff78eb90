// How long an instruction is (x86-64), as far as compilers write it, and where its parts lie.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

inline constexpr std::size_t kLongestInstruction = 15;

struct Instruction {
  enum class Map : std::uint8_t { One, Two, Other };  // of one byte; behind 0f; others, and vectors
  std::size_t bytes = 0;                              // 0: no known one
  Map map = Map::One;
  unsigned char operation = 0;
  unsigned char operands = 0;   // where its ModRM byte lies, from the beginning; 0: it has none
  unsigned char constants = 0;  // so many bytes at the end are a constant
  unsigned char extension = 0;  // the REX prefix; 0: none
  bool locked = false;
  bool half = false;  // prefix 66
};

// The one at `code`, behind which kLongestInstruction bytes can be read.
Instruction read_instruction(const unsigned char* code);

std::size_t instruction_length(const unsigned char* code);

}  // namespace heddle::runtime

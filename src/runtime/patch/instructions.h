// How long an instruction is (x86-64), as far as compilers write it.
#pragma once

#include <cstddef>

namespace heddle::runtime {

inline constexpr std::size_t kLongestInstruction = 15;

// Of the one at `code`, behind which kLongestInstruction bytes can be read; 0: no known one.
std::size_t instruction_length(const unsigned char* code);

}  // namespace heddle::runtime

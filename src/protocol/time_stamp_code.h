// Which reads of the processor's time stamp counter (rdtsc, rdtscp) the runtime can replace by a jump to code of its
// own, as far as the bytes tell. The driver asks the same, to name those that stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace heddle {

inline constexpr std::size_t kNearJumpBytes = 5;
// That many bytes behind an instruction tell whether it is one.
inline constexpr std::size_t kTimeStampWindow = 64;

struct TimeStampCode {
  std::size_t bytes = 0;  // of the instruction; 0: it is none
  bool with_processor = false;
  std::size_t moved = 0;  // of whole instructions behind it that make room for the jump; they run elsewhere
  bool replaceable = false;
};

namespace time_stamp_code {

inline bool is(const unsigned char* code, std::size_t size, std::initializer_list<unsigned char> wanted) {
  if (size < wanted.size()) return false;
  for (const unsigned char byte : wanted)
    if (*code++ != byte) return false;
  return true;
}

// The upper half is shifted up: `shl $32` of any register.
inline bool joins_halves(const unsigned char* code, std::size_t size) {
  constexpr unsigned char kShift = 0xc1, kBits = 32, kRegisters = 0xf8, kLeft = 0xe0;
  for (std::size_t i = 0; i + 4 <= size; ++i)
    if ((code[i] & 0xfe) == 0x48 && code[i + 1] == kShift && (code[i + 2] & kRegisters) == kLeft &&
        code[i + 3] == kBits)
      return true;
  return false;
}

// The bytes of an instruction that does the same elsewhere: moves and arithmetic between registers and memory that is
// not addressed from here, shifts, constants, fences. 0: another one.
inline std::size_t movable(const unsigned char* code, std::size_t size) {
  constexpr std::size_t kLongest = 10;
  if (size < kLongest) return 0;
  if (is(code, size, {0x0f, 0xae, 0xe8}) || is(code, size, {0x0f, 0xae, 0xf0})) return 3;  // lfence, mfence
  const std::size_t prefix = (code[0] & 0xf0) == 0x40 ? 1 : 0;
  const unsigned char operation = code[prefix], operands = code[prefix + 1];
  const bool wide = prefix != 0 && (code[0] & 8) != 0;
  if ((operation & 0xf8) == 0xb8) return prefix + 1 + (wide ? 8 : 4);  // mov of a constant
  std::size_t constant = 0;
  switch (operation) {
    case 0x01:
    case 0x09:
    case 0x21:
    case 0x29:
    case 0x31:
    case 0x39:
    case 0x85:
    case 0x89:  // to a register or memory
    case 0x03:
    case 0x0b:
    case 0x23:
    case 0x2b:
    case 0x33:
    case 0x3b:
    case 0x8b:
    case 0x8d:  // from one
      break;
    case 0x83:
    case 0xc1:  // arithmetic and shifts with a byte
      constant = 1;
      break;
    default:
      return 0;
  }
  const unsigned mode = operands >> 6, base = operands & 7;
  if (mode == 3) return prefix + 2 + constant;
  if (mode == 2 || (mode == 0 && (base == 5 || base == 4))) return 0;  // by the instruction's own address, or rare
  return prefix + 2 + (base == 4 ? 1 : 0) + (mode == 1 ? 1 : 0) + constant;
}

}  // namespace time_stamp_code

// What stands at `code`; `size` bytes can be looked at. Two bytes may be there by chance: so only a read whose halves
// are joined behind it counts as replaceable.
inline TimeStampCode time_stamp_code_at(const unsigned char* code, std::size_t size) {
  TimeStampCode found;
  if (time_stamp_code::is(code, size, {0x0f, 0x31}))
    found.bytes = 2;
  else if (time_stamp_code::is(code, size, {0x0f, 0x01, 0xf9}))
    found.bytes = 3, found.with_processor = true;
  else
    return found;
  const std::size_t seen = size < kTimeStampWindow ? size : kTimeStampWindow;
  std::size_t end = found.bytes;
  while (end < kNearJumpBytes) {
    const std::size_t bytes = time_stamp_code::movable(code + end, seen - end);
    if (bytes == 0) return found;
    end += bytes;
  }
  found.moved = end - found.bytes;
  found.replaceable = time_stamp_code::joins_halves(code + found.bytes, seen - found.bytes);
  return found;
}

}  // namespace heddle

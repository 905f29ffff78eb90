// See instructions.h. Prefixes, the operation, what its operands are made of (ModRM, SIB, displacement), constants.
#include "runtime/patch/instructions.h"

namespace heddle::runtime {
namespace {

using Byte = unsigned char;

bool is_prefix(Byte byte) {
  switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
      return true;
    default:
      return false;
  }
}

bool in(Byte byte, Byte first, Byte last) { return byte >= first && byte <= last; }

// ModRM and what belongs to it.
std::size_t operand_length(const Byte* code) {
  const unsigned mode = *code >> 6, base = *code & 7;
  std::size_t length = 1;
  if (mode == 3) return length;
  const bool indexed = base == 4;
  if (indexed) ++length;
  if (mode == 1) return length + 1;
  const bool far = mode == 2 || (mode == 0 && (indexed ? code[1] & 7 : base) == 5);
  return length + (far ? 4 : 0);
}

bool has_byte_behind(Byte operation) {
  return in(operation, 0x70, 0x73) || operation == 0xa4 || operation == 0xac || operation == 0xba ||
         operation == 0xc2 || in(operation, 0xc4, 0xc6);
}

// Behind 0f.
std::size_t second_map(const Byte* code) {
  const Byte operation = *code;
  if (operation == 0x38) return 2 + operand_length(code + 2);
  if (operation == 0x3a) return 2 + operand_length(code + 2) + 1;
  if (in(operation, 0x80, 0x8f)) return 5;
  const bool bare = in(operation, 0x05, 0x09) || operation == 0x0b || in(operation, 0x30, 0x37) || operation == 0x77 ||
                    in(operation, 0xa0, 0xa2) || in(operation, 0xa8, 0xaa) || in(operation, 0xc8, 0xcf);
  if (bare) return 1;
  return 1 + operand_length(code + 1) + (has_byte_behind(operation) ? 1 : 0);
}

// VEX and EVEX: `map` as they number it.
std::size_t vector_operation(const Byte* code, unsigned map) {
  if (map == 1 && *code == 0x77) return 1;  // vzeroupper
  const bool constant = map == 3 || (map == 1 && has_byte_behind(*code));
  return 1 + operand_length(code + 1) + (constant ? 1 : 0);
}

bool has_operands(Byte operation) {
  return (operation < 0x40 && (operation & 7) < 4) || operation == 0x63 || operation == 0x69 || operation == 0x6b ||
         in(operation, 0x80, 0x8f) || in(operation, 0xc0, 0xc1) || in(operation, 0xc6, 0xc7) ||
         in(operation, 0xd0, 0xd3) || in(operation, 0xd8, 0xdf) || in(operation, 0xf6, 0xf7) || operation >= 0xfe;
}

std::size_t constant_length(const Byte* code, std::size_t word, bool wide) {
  const Byte operation = *code;
  if (operation < 0x40) return (operation & 7) == 4 ? 1 : (operation & 7) == 5 ? word : 0;
  if (in(operation, 0xb8, 0xbf)) return wide ? 8 : word;
  if (in(operation, 0xa0, 0xa3)) return 8;
  const bool tests = (code[1] >> 3 & 7) < 2;
  switch (operation) {
    case 0x69:
    case 0x68:
    case 0x81:
    case 0xa9:
    case 0xc7:
      return word;
    case 0xe8:
    case 0xe9:
      return 4;
    case 0xc2:
      return 2;
    case 0xc8:
      return 3;
    case 0xf6:
      return tests ? 1 : 0;
    case 0xf7:
      return tests ? word : 0;
    case 0x6a:
    case 0x6b:
    case 0x80:
    case 0x83:
    case 0xa8:
    case 0xc0:
    case 0xc1:
    case 0xc6:
    case 0xcd:
    case 0xeb:
      return 1;
    default:
      return in(operation, 0x70, 0x7f) || in(operation, 0xb0, 0xb7) || in(operation, 0xe0, 0xe7) ? 1 : 0;
  }
}

bool exists(Byte operation) {
  return operation != 0x06 && operation != 0x07 && operation != 0x0e && operation != 0x27 && operation != 0x2f &&
         operation != 0x37 && operation != 0x3f && !in(operation, 0x60, 0x61) && operation != 0x9a &&
         operation != 0xd6 && operation != 0xea;
}

}  // namespace

std::size_t instruction_length(const unsigned char* code) {
  constexpr unsigned kMap = 0x1f, kShortMap = 7;
  std::size_t at = 0;
  bool half = false;
  while (is_prefix(code[at])) {
    half = half || code[at] == 0x66;
    if (++at == 4) return 0;
  }
  if (code[at] == 0xc5) return at + 2 + vector_operation(code + at + 2, 1);
  if (code[at] == 0xc4) return at + 3 + vector_operation(code + at + 3, code[at + 1] & kMap);
  if (code[at] == 0x62) return at + 4 + vector_operation(code + at + 4, code[at + 1] & kShortMap);
  bool wide = false;
  if ((code[at] & 0xf0) == 0x40) wide = (code[at++] & 8) != 0;
  if (code[at] == 0x0f) return at + 1 + second_map(code + at + 1);
  if (!exists(code[at])) return 0;
  const std::size_t word = half && !wide ? 2 : 4;
  return at + 1 + (has_operands(code[at]) ? operand_length(code + at + 1) : 0) + constant_length(code + at, word, wide);
}

}  // namespace heddle::runtime

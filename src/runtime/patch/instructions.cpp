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
bool has_operands_behind_0f(Byte operation) {
  const bool bare = in(operation, 0x05, 0x09) || operation == 0x0b || in(operation, 0x30, 0x37) || operation == 0x77 ||
                    in(operation, 0xa0, 0xa2) || in(operation, 0xa8, 0xaa) || in(operation, 0xc8, 0xcf);
  return !bare && !in(operation, 0x80, 0x8f);
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

// Gives it its operands, behind which so many bytes of constants follow.
void set_operands(Instruction& instruction, const Byte* code, std::size_t at, std::size_t constants) {
  instruction.operands = static_cast<unsigned char>(at);
  instruction.constants = static_cast<unsigned char>(constants);
  instruction.bytes = at + operand_length(code + at) + constants;
}

// `at`: behind 0f.
void read_second_map(Instruction& instruction, const Byte* code, std::size_t at) {
  const Byte operation = instruction.operation = code[at];
  instruction.map = Instruction::Map::Two;
  if (operation == 0x38 || operation == 0x3a) {
    instruction.map = Instruction::Map::Other;
    return set_operands(instruction, code, at + 2, operation == 0x3a ? 1 : 0);
  }
  if (has_operands_behind_0f(operation))
    return set_operands(instruction, code, at + 1, has_byte_behind(operation) ? 1 : 0);
  instruction.constants = in(operation, 0x80, 0x8f) ? 4 : 0;
  instruction.bytes = at + 1 + instruction.constants;
}

Instruction of_vectors(const Byte* code, std::size_t at, unsigned map) {
  Instruction instruction;
  instruction.map = Instruction::Map::Other;
  instruction.operation = code[at];
  instruction.bytes = at + vector_operation(code + at, map);
  if (map != 1 || code[at] != 0x77) instruction.operands = static_cast<unsigned char>(at + 1);
  instruction.constants = map == 3 || (map == 1 && has_byte_behind(code[at])) ? 1 : 0;
  return instruction;
}

}  // namespace

Instruction read_instruction(const unsigned char* code) {
  constexpr unsigned kMap = 0x1f, kShortMap = 7;
  Instruction instruction;
  std::size_t at = 0;
  while (is_prefix(code[at])) {
    instruction.half = instruction.half || code[at] == 0x66;
    instruction.locked = instruction.locked || code[at] == 0xf0;
    if (++at == 4) return {};
  }
  if (code[at] == 0xc5) return of_vectors(code, at + 2, 1);
  if (code[at] == 0xc4) return of_vectors(code, at + 3, code[at + 1] & kMap);
  if (code[at] == 0x62) return of_vectors(code, at + 4, code[at + 1] & kShortMap);
  if ((code[at] & 0xf0) == 0x40) instruction.extension = code[at++];
  const bool wide = (instruction.extension & 8) != 0;
  if (code[at] == 0x0f) {
    read_second_map(instruction, code, at + 1);
    return instruction;
  }
  if (!exists(code[at])) return {};
  instruction.operation = code[at];
  const std::size_t constants = constant_length(code + at, instruction.half && !wide ? 2 : 4, wide);
  if (has_operands(code[at])) {
    set_operands(instruction, code, at + 1, constants);
    return instruction;
  }
  instruction.constants = static_cast<unsigned char>(constants);
  instruction.bytes = at + 1 + constants;
  return instruction;
}

std::size_t instruction_length(const unsigned char* code) { return read_instruction(code).bytes; }

}  // namespace heddle::runtime

// See code_points.h. The encodings are those of Intel's manual, volume 2.
#include "runtime/patch/code_points.h"

#include <algorithm>
#include <cstring>

#include "protocol/time_stamp_code.h"
#include "runtime/patch/instructions.h"

namespace heddle::runtime {
namespace {

using Map = Instruction::Map;

constexpr std::size_t kJump = kNearJumpBytes;
constexpr unsigned kNoRegister = 16, kStack = 4, kRelative = 5;

// ModRM, and SIB where there is one.
struct Operands {
  unsigned mode, reg, base, index;  // kNoRegister: there is none
  bool in_memory() const { return mode != 3; }
};

Operands operands_of(const unsigned char* code, const Instruction& instruction) {
  const unsigned first = code[instruction.operands], extension = instruction.extension, low = first & 7;
  Operands operands{first >> 6, (first >> 3 & 7) | (extension & 4) << 1, low | (extension & 1) << 3, kNoRegister};
  if (operands.in_memory() && low == kStack) {
    const unsigned second = code[instruction.operands + 1];
    const unsigned index = (second >> 3 & 7) | (extension & 2) << 2, base = second & 7;
    operands.index = index == kStack ? kNoRegister : index;
    operands.base = base == kRelative && operands.mode == 0 ? kNoRegister : base | (extension & 1) << 3;
  } else if (operands.mode == 0 && low == kRelative) {
    operands.base = kNoRegister;  // from the next instruction
  }
  return operands;
}

bool is_one_of(unsigned value, std::initializer_list<unsigned> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool is_pause(const unsigned char* code, const Instruction& instruction) {
  return instruction.map == Map::One && instruction.operation == 0x90 && *code == 0xf3;
}

// Sets or adds nothing to the top of the stack: it is there for the order that it makes.
bool orders_only(const unsigned char* code, const Instruction& instruction, const Operands& operands) {
  return instruction.operation == 0x83 && operands.reg % 8 <= 1 && operands.base == kStack &&
         operands.index == kNoRegister && code[instruction.bytes - 1] == 0;
}

// With a lock prefix and an operand in memory: may it have one?
bool can_be_locked(const Instruction& instruction, unsigned reg) {
  const unsigned operation = instruction.operation;
  if (instruction.map == Map::Two)
    return is_one_of(operation, {0xab, 0xb0, 0xb1, 0xb3, 0xbb, 0xc0, 0xc1}) || (operation == 0xba && reg >= 5) ||
           (operation == 0xc7 && reg == 1);
  if (is_one_of(operation, {0x80, 0x81, 0x83})) return reg != 7;
  if (is_one_of(operation, {0xf6, 0xf7})) return reg == 2 || reg == 3;
  if (is_one_of(operation, {0xfe, 0xff})) return reg <= 1;
  return is_one_of(operation, {0x86, 0x87}) || (operation < 0x38 && operation % 8 < 2);
}

struct Kind {
  bool is_point;
  CodePointKind kind;
};

Kind kind_of(const unsigned char* code, const Instruction& instruction) {
  if (is_pause(code, instruction)) return {true, CodePointKind::Wait};
  if (instruction.operands == 0 || instruction.map == Map::Other) return {};
  if (instruction.map == Map::Two && instruction.operation == 0xae && code[instruction.operands] == 0xf0)
    return {true, CodePointKind::Fence};
  const Operands operands = operands_of(code, instruction);
  if (!operands.in_memory()) return {};
  const bool exchange = instruction.map == Map::One && is_one_of(instruction.operation, {0x86, 0x87});
  if (!exchange && !(instruction.locked && can_be_locked(instruction, operands.reg % 8))) return {};
  if (!exchange && instruction.map == Map::One && orders_only(code, instruction, operands))
    return {true, CodePointKind::Fence};
  return {true, CodePointKind::Atomic};
}

// Compilers fill gaps with prefixes that say nothing, more than an instruction has otherwise.
std::size_t idle_prefixes(const unsigned char* code) {
  std::size_t count = 0;
  while (count < kLongestInstruction && code[count] == 0x66 && code[count + 1] == 0x66) ++count;
  return count;
}

// --- jumps

enum class Way : std::uint8_t { On, Jump, Branch, Unknown };  // where the next instruction is
struct Next {
  Way way = Way::On;
  std::int64_t target = -1;  // of a jump or branch, from the beginning of the code; -1: not known, or elsewhere
};

std::int64_t distance_in(const unsigned char* code, const Instruction& instruction) {
  const unsigned char* const at = code + instruction.bytes - instruction.constants;
  if (instruction.constants == 1) return static_cast<signed char>(*at);
  std::int32_t distance = 0;
  memcpy(&distance, at, sizeof distance);
  return distance;
}

// A jump by a table, or to a place that was computed, which may lie in this function. One through a pointer at a fixed
// place leads to another function, as a linker makes them.
bool jumps_anywhere(const unsigned char* code, const Instruction& instruction) {
  if (instruction.map != Map::One || instruction.operation != 0xff) return false;
  const Operands operands = operands_of(code, instruction);
  const bool fixed = operands.mode == 0 && (code[instruction.operands] & 7) == kRelative;
  return operands.reg % 8 == 4 && !fixed;
}

Next next_of(const Code& code, std::size_t at, const Instruction& instruction) {
  const unsigned char* const here = code.begin + at;
  const unsigned operation = instruction.operation;
  const bool one = instruction.map == Map::One;
  Next next;
  if (one && (operation == 0xe9 || operation == 0xeb))
    next.way = Way::Jump;
  else if ((one && (operation >> 4 == 7 || operation >> 2 == 0xe0 >> 2)) ||
           (instruction.map == Map::Two && operation >> 4 == 8))
    next.way = Way::Branch;
  else if (jumps_anywhere(here, instruction))
    return {Way::Unknown, -1};
  else
    return next;
  next.target = static_cast<std::int64_t>(at + instruction.bytes) + distance_in(here, instruction);
  if (next.target < 0 || next.target >= static_cast<std::int64_t>(code.bytes)) next.target = -1;
  return next;
}

// --- room for a jump

// A return, or a jump without a condition.
bool goes_away(const Instruction& instruction) {
  return instruction.map == Map::One && is_one_of(instruction.operation, {0xc2, 0xc3, 0xe9, 0xeb});
}

// Does it do the same elsewhere, and may what follows it, too?
bool can_move(const unsigned char* code, const Instruction& instruction) {
  const unsigned operation = instruction.operation;
  if (instruction.map == Map::Two)  // no system call, time stamp, ud2
    return !is_one_of(operation, {0x01, 0x05, 0x0b, 0x31, 0x34});
  if (instruction.map == Map::Other) return true;
  if (operation == 0xff)
    return operands_of(code, instruction).reg % 8 <= 1 || operands_of(code, instruction).reg % 8 == 6;
  // Calls, returns, jumps without a condition, loops, interrupts: what lies behind such a one may be another place.
  return !is_one_of(operation, {0xc2, 0xc3, 0xc8, 0xca, 0xcb, 0xcc, 0xcd, 0xcf, 0xe8, 0xe9, 0xeb, 0xf1, 0xf4}) &&
         operation >> 2 != 0xe0 >> 2;
}

struct Loop {
  std::size_t begin, end;  // `end`: behind the jump back
};

// Whole instructions, to be replaced together.
struct Part {
  std::size_t begin, end;
  std::size_t bytes() const { return end - begin; }
};

// Finds room for jumps in a function.
class Room {
 public:
  Room(const Code& code, const CodeOfFunction& function, const JumpTargets& targets)
      : code_(code), function_(function), targets_(targets) {}

  // Where nobody knows what is jumped to, an instruction has its own room only.
  void keep_others() { may_move_ = false; }
  // The next instruction of the walk through the function.
  void pass(std::size_t at) {
    std::copy_backward(passed_, passed_ + kPassed - 1, passed_ + kPassed);
    passed_[0] = at;
    count_ = std::min(count_ + 1, kPassed);
  }
  // What was passed is not to be replaced again.
  void forget_passed() { count_ = 0; }
  // For the instruction at `at`. Empty: there is none. No other point may be in it but the pauses of the loop that this
  // one stands for. What was passed last may be in it, too, but for a loop, which was passed itself.
  Part find(std::size_t at, const Loop& loop) const;

 private:
  static constexpr std::size_t kPassed = 4;

  Part find_from(std::size_t begin, std::size_t at, const Loop& loop) const;
  bool may_move(std::size_t at, const Instruction& instruction, const Loop& loop) const;

  const Code& code_;
  const CodeOfFunction& function_;
  const JumpTargets& targets_;
  bool may_move_ = true;
  std::size_t passed_[kPassed] = {};  // the latest first
  std::size_t count_ = 0;
};

bool Room::may_move(std::size_t at, const Instruction& instruction, const Loop& loop) const {
  const Kind kind = kind_of(code_.begin + at, instruction);
  const bool of_loop = kind.kind == CodePointKind::Wait && at < loop.end;
  return instruction.bytes != 0 && (!kind.is_point || of_loop) && can_move(code_.begin + at, instruction);
}

Part Room::find_from(std::size_t begin, std::size_t at, const Loop& loop) const {
  std::size_t end = at + read_instruction(code_.begin + at).bytes;
  while (end < begin + kJump) {
    if (end >= function_.end) return {};
    const Instruction next = read_instruction(code_.begin + end);
    // Behind a return or a jump lies another place.
    const bool ends = goes_away(next) && end + next.bytes >= begin + kJump;
    if (!ends && !may_move(end, next, loop)) return {};
    end += next.bytes;
  }
  if (end > function_.end) return {};
  for (std::size_t between = begin + 1; between < end; ++between)
    if (targets_.has(between)) return {};
  return {begin, end};
}

Part Room::find(std::size_t at, const Loop& loop) const {
  const std::size_t bytes = read_instruction(code_.begin + at).bytes;
  if (bytes >= kJump) return {at, at + bytes};
  if (!may_move_) return {};
  if (const Part part = find_from(at, at, loop); part.bytes() != 0 || loop.end != 0) return part;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!may_move(passed_[i], read_instruction(code_.begin + passed_[i]), loop)) break;
    if (const Part part = find_from(passed_[i], at, loop); part.bytes() != 0) return part;
  }
  return {};
}

// --- loops that only read

// What a round of a loop does with registers. Where none is read that an earlier round has written, each round is like
// the one before, as long as memory is.
class Round {
 public:
  // False: the instruction does more than reading.
  bool add(const unsigned char* code, const Instruction& instruction);
  bool is_like_the_last() const { return reads_memory_ && (read_ & written_) == 0; }

 private:
  bool add_short(unsigned operation, const Operands& operands, bool bytes);
  void read(unsigned reg) {
    if (reg < kNoRegister && (written_ >> reg & 1) == 0) read_ |= 1u << reg;
  }
  void write(unsigned reg) { written_ |= 1u << reg; }
  // A register of one byte: without an extension numbers 4 to 7 are parts of the first four.
  static unsigned whole(unsigned reg, bool bytes, bool extended) {
    return bytes && !extended && reg > 3 ? reg - 4 : reg;
  }

  unsigned read_ = 0, written_ = 0;  // a bit for each; `read_`: before it was written in this round
  bool reads_memory_ = false, extended_ = false;
};

bool Round::add(const unsigned char* code, const Instruction& instruction) {
  const unsigned operation = instruction.operation;
  if (instruction.map == Map::Other) return false;
  if (instruction.map == Map::One && (operation == 0x90 || operation >> 4 == 7 || operation == 0xeb)) return true;
  if (instruction.map == Map::Two && (operation >> 4 == 8 || operation == 0x1f)) return true;
  if (instruction.operands == 0) {
    if (instruction.map == Map::Two || !is_one_of(operation, {0x3c, 0x3d, 0xa8, 0xa9})) return false;
    read(0);
    return true;
  }
  extended_ = instruction.extension != 0;
  const Operands operands = operands_of(code, instruction);
  if (operands.in_memory()) {
    read(operands.base);
    read(operands.index);
    reads_memory_ = true;
  }
  if (instruction.map == Map::One) return add_short(operation, operands, (operation & 1) == 0);
  if (!is_one_of(operation, {0xb6, 0xb7, 0xbe, 0xbf})) return false;
  if (!operands.in_memory()) read(whole(operands.base, (operation & 1) == 0, extended_));
  write(operands.reg);
  return true;
}

// Moves to registers, comparisons, tests, and what changes a register by a constant.
bool Round::add_short(unsigned operation, const Operands& operands, bool bytes) {
  const unsigned reg = whole(operands.reg, bytes, extended_), other = whole(operands.base, bytes, extended_);
  const bool memory = operands.in_memory();
  if (is_one_of(operation, {0x8a, 0x8b, 0x63})) {
    if (!memory) read(operation == 0x63 ? operands.base : other);
    write(operation == 0x63 ? operands.reg : reg);
    return true;
  }
  if (is_one_of(operation, {0x88, 0x89}) && !memory) {
    read(reg);
    write(other);
    return true;
  }
  if (!memory) read(other);
  if (is_one_of(operation, {0x38, 0x39, 0x3a, 0x3b, 0x84, 0x85})) {
    read(reg);
    return true;
  }
  if (is_one_of(operation, {0xf6, 0xf7})) return operands.reg % 8 == 0;
  if (!is_one_of(operation, {0x80, 0x81, 0x83, 0xc0, 0xc1})) return false;
  if (operation <= 0x83 && operands.reg % 8 == 7) return true;  // a comparison
  if (memory) return false;
  write(other);
  return true;
}

constexpr std::size_t kLongestLoop = 64;  // that is looked at

bool only_waits(const Code& code, const Loop& loop) {
  if (loop.end - loop.begin > kLongestLoop) return false;
  Round round;
  std::size_t at = loop.begin;
  while (at < loop.end) {
    const Instruction instruction = read_instruction(code.begin + at);
    if (instruction.bytes == 0 || !round.add(code.begin + at, instruction)) return false;
    const Next next = next_of(code, at, instruction);
    at += instruction.bytes;
    const bool stays =
        next.target > static_cast<std::int64_t>(loop.begin) && next.target < static_cast<std::int64_t>(loop.end);
    if (stays || (next.way == Way::Jump && at != loop.end)) return false;
  }
  return at == loop.end && round.is_like_the_last();
}

// --- functions

class Finder {
 public:
  Finder(const Code& code, const CodeOfFunction& function, JumpTargets& targets)
      : code_(code), function_(function), targets_(targets), room_(code, function, targets) {
    if (function.has_unknown_jumps) room_.keep_others();
  }

  // False: something is not understood.
  bool read_jumps();
  bool has_any() const { return has_any_; }
  template <typename Visit>
  void find(Visit visit);

 private:
  Instruction read_at(std::size_t& at) const {
    at += idle_prefixes(code_.begin + at);
    return read_instruction(code_.begin + at);
  }
  // Does it end a loop that only waits?
  bool ends_wait(std::size_t at, const Instruction& instruction) const {
    const Next next = next_of(code_, at, instruction);
    if (next.target < static_cast<std::int64_t>(function_.begin) || next.target >= static_cast<std::int64_t>(at))
      return false;
    return only_waits(code_, {static_cast<std::size_t>(next.target), at + instruction.bytes});
  }
  CodePoint point_at(std::size_t at, const Instruction& instruction, CodePointKind kind, const Loop& loop = {}) const {
    const Part part = room_.find(at, loop);
    const std::size_t before = part.bytes() != 0 ? at - part.begin : 0;
    return {kind, static_cast<unsigned char>(instruction.bytes), static_cast<unsigned char>(part.bytes()),
            static_cast<unsigned char>(before), at};
  }
  CodePoint point_in_loop(const Loop& loop) const;
  bool is_in_waiting_loop(std::size_t pause) const;

  const Code& code_;
  const CodeOfFunction& function_;
  JumpTargets& targets_;
  Room room_;
  bool has_any_ = false;
};

bool Finder::read_jumps() {
  for (std::size_t at = function_.begin; at < function_.end;) {
    const Instruction instruction = read_at(at);
    if (instruction.bytes == 0 || at + instruction.bytes > function_.end) return false;
    const Next next = next_of(code_, at, instruction);
    if (next.way == Way::Unknown) room_.keep_others();
    if (next.target >= 0) targets_.add(static_cast<std::size_t>(next.target));
    has_any_ = has_any_ || kind_of(code_.begin + at, instruction).is_point || ends_wait(at, instruction);
    at += instruction.bytes;
  }
  return true;
}

// The first of its instructions that a jump can replace. Any will do, since each round comes by.
CodePoint Finder::point_in_loop(const Loop& loop) const {
  CodePoint first{};
  for (std::size_t at = loop.begin; at < loop.end;) {
    const Instruction instruction = read_instruction(code_.begin + at);
    if (next_of(code_, at, instruction).way == Way::On) {
      const CodePoint point = point_at(at, instruction, CodePointKind::Wait, loop);
      if (point.room != 0) return point;
      if (first.bytes == 0) first = point;
    }
    at += instruction.bytes;
  }
  return first;
}

// Then the loop has a point, wherever it has most room.
bool Finder::is_in_waiting_loop(std::size_t pause) const {
  for (std::size_t at = pause; at < function_.end && at < pause + kLongestLoop;) {
    const Instruction instruction = read_at(at);
    const Next next = next_of(code_, at, instruction);
    if (next.target >= 0 && next.target <= static_cast<std::int64_t>(pause)) return ends_wait(at, instruction);
    at += instruction.bytes;
  }
  return false;
}

template <typename Visit>
void Finder::find(Visit visit) {
  for (std::size_t at = function_.begin; at < function_.end;) {
    const Instruction instruction = read_at(at);
    const Kind kind = kind_of(code_.begin + at, instruction);
    CodePoint point{};
    if (kind.is_point && !(kind.kind == CodePointKind::Wait && is_in_waiting_loop(at)))
      point = point_at(at, instruction, kind.kind);
    else if (ends_wait(at, instruction))
      point = point_in_loop({static_cast<std::size_t>(next_of(code_, at, instruction).target), at + instruction.bytes});
    room_.pass(at);
    at += instruction.bytes;
    if (point.bytes == 0) continue;
    // Before it is replaced: these bytes are no instructions any more.
    at = std::max(at, point.at - point.before + point.room);
    room_.forget_passed();
    visit(point);
  }
}

}  // namespace

void add_far_jumps(const Code& code, JumpTargets& targets) {
  constexpr std::size_t kDistance = sizeof(std::int32_t);
  for (std::size_t at = 0; at + 1 + kDistance <= code.bytes; ++at) {
    const bool jump = code.begin[at] == 0xe9;
    const bool branch = code.begin[at] >> 4 == 8 && at != 0 && code.begin[at - 1] == 0x0f;
    if (!jump && !branch) continue;
    std::int32_t distance = 0;
    memcpy(&distance, code.begin + at + 1, sizeof distance);
    const std::int64_t target = static_cast<std::int64_t>(at + 1 + kDistance) + distance;
    if (target >= 0 && target < static_cast<std::int64_t>(code.bytes)) targets.add(static_cast<std::size_t>(target));
  }
}

bool find_code_points(const Code& code, const CodeOfFunction& function, JumpTargets& targets,
                      void (*visit)(const CodePoint& point, void* argument), void* argument) {
  Finder finder(code, function, targets);
  if (!finder.read_jumps()) return false;
  if (finder.has_any()) finder.find([&](const CodePoint& point) { visit(point, argument); });
  return true;
}

}  // namespace heddle::runtime

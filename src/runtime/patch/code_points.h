// Finds the instructions of a function that can be scheduling points: those that change memory in one piece, fences,
// and waits in loops. Nothing is guessed: a function is read from its beginning, instruction after instruction, and
// left as it is if one is not known.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// The bytes of a loaded file that are run. Behind them kLongestInstruction bytes can be read.
struct Code {
  const unsigned char* begin;
  std::size_t bytes;
};

enum class CodePointKind : std::uint8_t {
  Atomic,  // with a lock prefix, or xchg
  Fence,   // mfence, and what compilers write for it: a locked `or` of 0 to the top of the stack
  Wait     // pause, or a loop that only reads memory until another thread has changed it
};

struct CodePoint {
  CodePointKind kind;
  unsigned char bytes;  // of the instruction
  // Of whole instructions that a jump can replace, this one among them: nothing jumps between them, and they do the
  // same elsewhere. 0: there is no room for a jump.
  unsigned char room;
  unsigned char before;  // so many of these bytes lie before the instruction
  std::size_t at;        // of the instruction, from the beginning of the code
};

// To which bytes of the code something may jump.
class JumpTargets {
 public:
  static constexpr std::size_t kBitsOfWord = 64;
  // `words`: zero, one bit for each byte of code.
  explicit JumpTargets(std::uint64_t* words) : words_(words) {}
  void add(std::size_t at) { words_[at / kBitsOfWord] |= std::uint64_t{1} << at % kBitsOfWord; }
  bool has(std::size_t at) const { return (words_[at / kBitsOfWord] >> at % kBitsOfWord & 1) != 0; }

 private:
  std::uint64_t* words_;
};

// All that may be a jump of four bytes, in whichever function it is. Those by one byte stay within a function.
void add_far_jumps(const Code& code, JumpTargets& targets);

struct CodeOfFunction {
  std::size_t begin, end;  // in the code
  bool has_unknown_jumps;  // into it, besides those that its code shows and `targets` has
};

// Calls `visit` for each point of the function, in ascending order but for loops, which are visited at their ends. The
// function's own jumps are added to `targets`. False: something in it is not understood, and nothing was visited.
bool find_code_points(const Code& code, const CodeOfFunction& function, JumpTargets& targets,
                      void (*visit)(const CodePoint& point, void* argument), void* argument);

}  // namespace heddle::runtime

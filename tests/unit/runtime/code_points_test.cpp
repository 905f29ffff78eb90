// Which instructions become scheduling points, and where a jump has room to replace them.
#include "runtime/patch/code_points.h"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/patch/instructions.h"

namespace heddle::runtime {
namespace {

using Bytes = std::vector<unsigned char>;

struct Found {
  bool understood = false;
  std::vector<CodePoint> points;
};

// In one function that is all of the code; `behind` is another one.
Found find_in(Bytes bytes, bool unknown_jumps = false, const Bytes& behind = {}) {
  const std::size_t end = bytes.size();
  bytes.insert(bytes.end(), behind.begin(), behind.end());
  const std::size_t size = bytes.size();
  bytes.resize(size + kLongestInstruction, 0xcc);
  const Code code{bytes.data(), size};
  std::vector<std::uint64_t> words(size / JumpTargets::kBitsOfWord + 1);
  JumpTargets targets(words.data());
  add_far_jumps(code, targets);
  Found found;
  found.understood = find_code_points(
      code, {0, end, unknown_jumps}, targets,
      [](const CodePoint& point, void* to) { static_cast<Found*>(to)->points.push_back(point); }, &found);
  return found;
}

// The only point of the code: where it is, of which kind, and with how much room.
void expect_one(const Found& found, CodePointKind kind, std::size_t at, unsigned bytes, unsigned room) {
  ASSERT_TRUE(found.understood);
  ASSERT_EQ(found.points.size(), 1u);
  EXPECT_EQ(found.points[0].kind, kind);
  EXPECT_EQ(found.points[0].at, at);
  EXPECT_EQ(found.points[0].bytes, bytes);
  EXPECT_EQ(found.points[0].room, room);
}

void expect_none(const Found& found) {
  EXPECT_TRUE(found.understood);
  EXPECT_TRUE(found.points.empty());
}

constexpr auto kAtomic = CodePointKind::Atomic;
constexpr auto kFence = CodePointKind::Fence;
constexpr auto kWait = CodePointKind::Wait;

TEST(CodePoints, AreInstructionsThatChangeMemoryInOnePiece) {
  expect_one(find_in({0x90, 0xf0, 0x0f, 0xc1, 0x43, 0x08, 0xc3}), kAtomic, 1, 5, 5);              // lock xadd
  expect_one(find_in({0xf0, 0x48, 0x0f, 0xc7, 0x0f, 0xc3}), kAtomic, 0, 5, 5);                    // cmpxchg16b
  expect_one(find_in({0xf0, 0xff, 0x05, 1, 2, 3, 4, 0xc3}), kAtomic, 0, 7, 7);                    // lock incl x(%rip)
  expect_one(find_in({0x64, 0x48, 0x87, 0x04, 0x25, 8, 0, 0, 0, 0xc3}), kAtomic, 0, 9, 9);        // xchg, of a thread
  expect_one(find_in({0xf0, 0x48, 0x0f, 0xba, 0x2b, 0x03, 0xc3}), kAtomic, 0, 6, 6);              // lock bts
  expect_one(find_in({0x66, 0xf0, 0x41, 0x81, 0x04, 0x24, 0x01, 0x02, 0xc3}), kAtomic, 0, 8, 8);  // lock addw
}

TEST(CodePoints, AreNotWhatLooksLikeOneInAnother) {
  expect_none(find_in({0x87, 0xc1, 0xc3}));                                // xchg of registers
  expect_none(find_in({0xb8, 0xf0, 0x0f, 0xc1, 0x03, 0xc3}));              // mov $0x3c10ff0, %eax
  expect_none(find_in({0x48, 0x8d, 0x87, 0xf0, 0xff, 0x07, 0x00, 0xc3}));  // lea
  expect_none(find_in({0x0f, 0xae, 0xe8, 0xc3}));                          // lfence
}

TEST(CodePoints, AreFencesAndWhatStandsForThem) {
  expect_one(find_in({0x0f, 0xae, 0xf0, 0x89, 0xc8, 0xc3}), kFence, 0, 3, 5);        // mfence; mov
  expect_one(find_in({0xf0, 0x48, 0x83, 0x0c, 0x24, 0x00, 0xc3}), kFence, 0, 6, 6);  // lock orq $0, (%rsp)
  expect_one(find_in({0xf0, 0x83, 0x0f, 0x01, 0x90, 0xc3}), kAtomic, 0, 4, 5);       // lock orl $1, (%rdi)
}

TEST(CodePoints, TakeRoomFromTheirNeighbours) {
  // xchg %al, (%rdi); test %al, %al; jne to the beginning; ret
  expect_one(find_in({0x86, 0x07, 0x84, 0xc0, 0x75, 0xfa, 0xc3}), kAtomic, 0, 2, 6);
  // lock cmpxchg %ecx, (%rdx); mov x(%rip), %rax; ret
  expect_one(find_in({0xf0, 0x0f, 0xb1, 0x0a, 0x48, 0x8b, 0x05, 1, 2, 3, 4, 0xc3}), kAtomic, 0, 4, 11);
}

TEST(CodePoints, TakeRoomFromWhatComesBefore) {
  // mov $1, %ecx; xchg %ecx, (%rax); ret
  const Found found = find_in({0xb9, 1, 0, 0, 0, 0x87, 0x08, 0xc3});
  expect_one(found, kAtomic, 5, 2, 7);
  EXPECT_EQ(found.points[0].before, 5u);
  // A return, or a jump, may be the last one.
  expect_one(find_in({0xf0, 0xff, 0x0f, 0x90, 0xc3}), kAtomic, 0, 3, 5);
  expect_one(find_in({0xf0, 0xff, 0x0f, 0xeb, 0xfb}), kAtomic, 0, 3, 5);
  // But nothing before a jump's target, and nothing that was replaced with another point.
  expect_one(find_in({0xb9, 1, 0, 0, 0, 0x87, 0x08, 0xeb, 0xfc}), kAtomic, 5, 2, 0);
  const Found two = find_in({0xf0, 0x0f, 0xc1, 0x43, 0x08, 0x90, 0x87, 0x08, 0xc3});
  ASSERT_EQ(two.points.size(), 2u);
  EXPECT_EQ(two.points[1].room, 0u);
}

TEST(CodePoints, LeaveNeighboursThatCanNotMove) {
  expect_one(find_in({0xf0, 0xff, 0x0f, 0xe8, 1, 2, 3, 4, 0xc3}), kAtomic, 0, 3, 0);  // a call
  expect_one(find_in({0xf0, 0xff, 0x0f, 0xc3}), kAtomic, 0, 3, 0);                    // too short
  expect_one(find_in({0xf0, 0xff, 0x0f, 0x0f, 0x05, 0xc3}), kAtomic, 0, 3, 0);        // a system call
  // Another point: both are found, and neither runs in the other's code.
  const Found two = find_in({0xf0, 0xff, 0x0f, 0xf0, 0x0f, 0xc1, 0x43, 0x08, 0xc3});
  ASSERT_EQ(two.points.size(), 2u);
  EXPECT_EQ(two.points[0].room, 0u);
  EXPECT_EQ(two.points[1].room, 5u);
}

TEST(CodePoints, LeaveNeighboursThatAreJumpedTo) {
  const Bytes update = {0xf0, 0xff, 0x0f, 0x89, 0xc8, 0x89, 0xc8};  // lock decl (%rdi); mov; mov
  Bytes short_jump = update, far_jump = update, table = update;
  expect_one(find_in(update), kAtomic, 0, 3, 5);
  short_jump.insert(short_jump.end(), {0x74, 0xfa, 0xc3});  // je to the first mov
  expect_one(find_in(short_jump), kAtomic, 0, 3, 0);
  short_jump[8] = 0xfc;  // to the second one, which stays
  expect_one(find_in(short_jump), kAtomic, 0, 3, 5);
  // From another function.
  far_jump.push_back(0xc3);
  expect_one(find_in(far_jump, false, {0x90, 0xe9, 0xf5, 0xff, 0xff, 0xff}), kAtomic, 0, 3, 0);
  expect_one(find_in(far_jump, false, {0x90, 0x0f, 0x84, 0xf4, 0xff, 0xff, 0xff}), kAtomic, 0, 3, 0);
  // By a table, or in another way that nobody knows.
  table.insert(table.end(), {0xff, 0xe0});
  expect_one(find_in(table), kAtomic, 0, 3, 0);
  Bytes by_memory = update, fixed = update;
  by_memory.insert(by_memory.end(), {0xff, 0x20});  // jmp *(%rax), as for a computed goto
  expect_one(find_in(by_memory), kAtomic, 0, 3, 0);
  by_memory.back() = 0x63;  // jmp *8(%rbx)
  by_memory.push_back(8);
  expect_one(find_in(by_memory), kAtomic, 0, 3, 0);
  fixed.insert(fixed.end(), {0xff, 0x25, 1, 2, 3, 4});  // jmp *x(%rip): a call in a linked library
  expect_one(find_in(fixed), kAtomic, 0, 3, 5);
  expect_one(find_in(update, true), kAtomic, 0, 3, 0);
  // Those that need no neighbour don't mind.
  expect_one(find_in({0xf0, 0x0f, 0xc1, 0x43, 0x08, 0xff, 0xe0}, true), kAtomic, 0, 5, 5);
}

TEST(CodePoints, AreFoundOnlyInWhatIsUnderstood) {
  EXPECT_FALSE(find_in({0xf0, 0x0f, 0xc1, 0x43, 0x08, 0x06, 0xc3}).understood);
  EXPECT_FALSE(find_in({0xf0, 0x0f, 0xc1, 0x43, 0x08, 0x48}).understood);  // cut off
  // A gap of a length that clang fills with more prefixes than an instruction has.
  expect_one(find_in({0xf0, 0x0f, 0xc1, 0x43, 0x08, 0x66, 0x66, 0x66, 0x66, 0x66,
                      0x2e, 0x0f, 0x1f, 0x84, 0,    0,    0,    0,    0,    0xc3}),
             kAtomic, 0, 5, 5);
}

TEST(CodePoints, AreWaits) {
  expect_one(find_in({0xf3, 0x90, 0x89, 0xc8, 0x90, 0xc3}), kWait, 0, 2, 5);  // pause
  // mov (%rdi), %eax; test %eax, %eax; je to the beginning
  expect_one(find_in({0x90, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xfa, 0xc3}), kWait, 1, 2, 6);
  // The address itself is read anew in each round, as without optimization.
  expect_one(find_in({0x48, 0x8b, 0x45, 0xf8, 0x8b, 0x00, 0x85, 0xc0, 0x74, 0xf6, 0xc3}), kWait, 0, 4, 6);
  // cmpl $0, x(%rip); jne out; jmp to the beginning
  expect_one(find_in({0x83, 0x3d, 1, 2, 3, 4, 0, 0x75, 0x02, 0xeb, 0xf5, 0xc3}), kWait, 0, 7, 7);
}

TEST(CodePoints, AreOneForALoopAndItsPause) {
  // pause; movzbl x(%rip), %eax; test %al, %al; jne to the pause: the move has room, though it is jumped to.
  const Bytes loop = {0xf3, 0x90, 0x0f, 0xb6, 0x05, 1, 2, 3, 4, 0x84, 0xc0, 0x75, 0xf3};
  Bytes entered = {0xeb, 0x02};
  entered.insert(entered.end(), loop.begin(), loop.end());
  entered.push_back(0xc3);
  expect_one(find_in(entered), kWait, 4, 7, 7);
  // mov (%rdi), %eax; test %eax, %eax; pause; jne to the beginning
  expect_one(find_in({0x8b, 0x07, 0x85, 0xc0, 0xf3, 0x90, 0x75, 0xf8, 0xc3}), kWait, 0, 2, 6);
  // A pause in another loop, behind an instruction without room: it has a point of its own.
  const Found two = find_in({0xf0, 0xff, 0x0f, 0xf3, 0x90, 0x89, 0xc8, 0x90, 0xc3});
  ASSERT_EQ(two.points.size(), 2u);
  EXPECT_EQ(two.points[0].room, 0u);
  EXPECT_EQ(two.points[1].room, 5u);
}

TEST(CodePoints, AreNotLoopsThatComeOn) {
  expect_none(find_in({0x48, 0x8b, 0x00, 0x48, 0x85, 0xc0, 0x75, 0xf8, 0xc3}));        // along a list
  expect_none(find_in({0x83, 0xc0, 0x01, 0x3b, 0x07, 0x75, 0xf9, 0xc3}));              // counts up
  expect_none(find_in({0x89, 0x06, 0x8b, 0x07, 0x85, 0xc0, 0x74, 0xf8, 0xc3}));        // writes
  expect_none(find_in({0x0f, 0xb6, 0x07, 0x48, 0xff, 0xc7, 0x84, 0xc0, 0x75, 0xf6}));  // strlen
  expect_none(find_in({0x85, 0xc0, 0x74, 0xfc, 0xc3}));                                // reads no memory
}

}  // namespace
}  // namespace heddle::runtime

// Which instructions are understood, and which reads of the time stamp counter can be replaced.
#include "runtime/patch/instructions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "protocol/time_stamp_code.h"

namespace heddle::runtime {
namespace {

using Bytes = std::initializer_list<unsigned char>;

std::size_t length_of(Bytes bytes) {
  std::vector<unsigned char> code(bytes);
  code.resize(code.size() + kLongestInstruction);
  return instruction_length(code.data());
}

TEST(Instructions, AreAsLongAsTheirOperandsAndConstants) {
  const Bytes kAll[] = {{0x90},                                             // nop
                        {0xc3},                                             // ret
                        {0x0f, 0x31},                                       // rdtsc
                        {0x0f, 0x01, 0xf9},                                 // rdtscp
                        {0x48, 0xc1, 0xe2, 0x20},                           // shl $32, %rdx
                        {0x89, 0x4c, 0x24, 0x0c},                           // mov %ecx, 12(%rsp)
                        {0x48, 0x8b, 0x05, 1, 2, 3, 4},                     // mov 0x4030201(%rip), %rax
                        {0x48, 0xc7, 0x44, 0x24, 0x08, 0, 0, 0, 0},         // movq $0, 8(%rsp)
                        {0x48, 0xba, 1, 2, 3, 4, 5, 6, 7, 8},               // movabs
                        {0x66, 0xc7, 0x00, 1, 2},                           // movw $0x201, (%rax)
                        {0xf6, 0xc1, 0x01},                                 // test $1, %cl
                        {0xf7, 0xd8},                                       // neg %eax
                        {0x0f, 0x84, 1, 2, 3, 4},                           // je
                        {0x64, 0x48, 0x2b, 0x04, 0x25, 0x28, 0, 0, 0},      // sub %fs:40, %rax
                        {0xc5, 0xf8, 0x77},                                 // vzeroupper
                        {0xc4, 0xe3, 0x7d, 0x39, 0xc1, 0x01},               // vextracti128 $1, %ymm0, %xmm1
                        {0x66, 0x0f, 0x3a, 0x0f, 0xc1, 0x08},               // palignr $8, %xmm1, %xmm0
                        {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},      // nopw
                        {0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x44, 0x24, 0x01}};  // vmovdqa64 64(%rsp), %zmm0
  for (const Bytes& bytes : kAll) EXPECT_EQ(length_of(bytes), bytes.size()) << +*bytes.begin();
}

TEST(Instructions, ThatDoNotExistAreNotUnderstood) {
  EXPECT_EQ(length_of({0x06}), 0u);
  EXPECT_EQ(length_of({0x66, 0x66, 0x66, 0x66, 0x90}), 0u);
}

TimeStampCode read_in(Bytes bytes) {
  std::vector<unsigned char> code(bytes);
  code.resize(kTimeStampWindow, 0xcc);
  return time_stamp_code_at(code.data(), code.size());
}

TEST(TimeStampCode, IsReplaceableWithWhatCanMove) {
  const TimeStampCode plain = read_in({0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0});
  EXPECT_TRUE(plain.replaceable && !plain.with_processor);
  EXPECT_EQ(plain.bytes, 2u);
  EXPECT_EQ(plain.moved, 4u);
  // rdtscp; mov %ecx, %esi; shl $32, %rdx
  const TimeStampCode processor = read_in({0x0f, 0x01, 0xf9, 0x89, 0xce, 0x48, 0xc1, 0xe2, 0x20});
  EXPECT_TRUE(processor.replaceable && processor.with_processor);
  EXPECT_EQ(processor.moved, 2u);
  // rdtsc; mov %eax, -4(%rbp); mov %edx, -8(%rbp); mov -8(%rbp), %eax; shl $32, %rax
  EXPECT_EQ(read_in({0x0f, 0x31, 0x89, 0x45, 0xfc, 0x89, 0x55, 0xf8, 0x8b, 0x45, 0xf8, 0x48, 0xc1, 0xe0, 0x20}).moved,
            3u);
}

TEST(TimeStampCode, StaysWhereItMayBeThereByChanceOrCanNotMove) {
  EXPECT_FALSE(read_in({0x0f, 0x31, 0x48, 0x89, 0xc3, 0x90}).replaceable);  // nothing is joined
  // jmp, call, mov from an address relative to the instruction
  EXPECT_FALSE(read_in({0x0f, 0x31, 0xeb, 0x00, 0x48, 0xc1, 0xe2, 0x20}).replaceable);
  EXPECT_FALSE(read_in({0x0f, 0x31, 0xe8, 1, 2, 3, 4, 0x48, 0xc1, 0xe2, 0x20}).replaceable);
  EXPECT_FALSE(read_in({0x0f, 0x31, 0x48, 0x8b, 0x0d, 1, 2, 3, 4, 0x48, 0xc1, 0xe2, 0x20}).replaceable);
  EXPECT_EQ(read_in({0x0f, 0x30}).bytes, 0u);
  const unsigned char kCut[] = {0x0f, 0x31, 0x48, 0xc1};
  EXPECT_FALSE(time_stamp_code_at(kCut, sizeof kCut).replaceable);
}

}  // namespace
}  // namespace heddle::runtime

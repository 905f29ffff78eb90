// What the runtime reports of where memory comes from.
#include "analysis/memory_origin.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

using namespace std::string_literals;

Execution told(const std::string& text) {
  Execution execution;
  execution.messages.push_back({MessageKind::MemoryOrigin, 0, 3, text});
  return execution;
}

RaceRecord access(std::uint64_t address, Site site = 0x4000, std::uint32_t step = 3) {
  RaceRecord record;
  record.address = address;
  record.site = site;
  record.step = step;
  return record;
}

TEST(MemoryOrigin, BlocksAndStacks) {
  const auto block = memory_origin(told("7f08 4000\0block 7f00 10 2 401000 402000"s), access(0x7f08));
  ASSERT_TRUE(block);
  EXPECT_TRUE(block->is_block);
  EXPECT_EQ(block->begin, 0x7f00u);
  EXPECT_EQ(block->size, 16u);
  EXPECT_EQ(block->task, 2);
  EXPECT_EQ(block->stack, (std::vector<Site>{0x401000, 0x402000}));
  const auto stack = memory_origin(told("7f08 4000\0stack 1"s), access(0x7f08));
  ASSERT_TRUE(stack);
  EXPECT_FALSE(stack->is_block);
  EXPECT_EQ(stack->task, 1);
}

TEST(MemoryOrigin, Frames) {
  const auto found =
      memory_origin(told("7f08 4000\0stack 1 401000 7e00 7e10 402000 7f00 7f10 403000 7f40 7f50"s), access(0x7f08));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->frames.size(), 2u) << "the last one says where the one before begins";
  EXPECT_EQ(found->frames[0].site, 0x402000u) << "the frame that it lies in comes first";
  EXPECT_EQ(found->frames[0].stack_pointer, 0x7f00u);
  EXPECT_EQ(found->frames[0].frame_pointer, 0x7f10u);
  EXPECT_EQ(found->frames[0].begin, 0x7f40u);
  EXPECT_EQ(found->frames[1].begin, 0x7f00u);
  for (const std::string& text : {"7f08 4000\0stack 1 401000 7e00"s, "7f08 4000\0stack 1 401000 7e00 7e10"s,
                                  "7f08 4000\0stack 1 x y z 401000 7e00 7e10"s}) {
    const auto broken = memory_origin(told(text), access(0x7f08));
    ASSERT_TRUE(broken);
    EXPECT_TRUE(broken->frames.empty()) << text;
  }
}

// Programs can write into what we read.
TEST(MemoryOrigin, UnknownAndBroken) {
  EXPECT_FALSE(memory_origin(told("7f08 4000\0stack 1"s), access(0x7f00))) << "that is another address";
  EXPECT_FALSE(memory_origin(told("7f08 4000\0stack 1"s), access(0x7f08, 0x4001))) << "that is another place";
  EXPECT_FALSE(memory_origin(told("7f08 4000\0stack 1"s), access(0x7f08, 0x4000, 4))) << "that is another step";
  EXPECT_FALSE(memory_origin(Execution(), access(0x7f08)));
  for (const std::string& text : {"7f08 4000"s, "7f08 4000\0"s, "7f08 4000\0block"s, "7f08 4000\0block x 10 2"s,
                                  "7f08 4000\0stack"s, "\0stack 1"s})
    EXPECT_FALSE(memory_origin(told(text), access(0x7f08))) << text;
  const auto odd = memory_origin(told("7f08 4000\0block 7f00 10 2 zz 401000"s), access(0x7f08));
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->stack.size(), 1u);
}

}  // namespace
}  // namespace heddle

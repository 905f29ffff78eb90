// What the runtime tells of where memory comes from.
#include "analysis/memory_origin.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

using namespace std::string_literals;

Execution told(const std::string& text) {
  Execution execution;
  execution.messages.push_back({MessageKind::MemoryOrigin, 0, 0, text});
  return execution;
}

TEST(MemoryOrigin, BlocksAndStacks) {
  const auto block = memory_origin(told("7f08\0block 7f00 10 2 401000 402000"s), 0x7f08);
  ASSERT_TRUE(block);
  EXPECT_TRUE(block->is_block);
  EXPECT_EQ(block->begin, 0x7f00u);
  EXPECT_EQ(block->size, 16u);
  EXPECT_EQ(block->task, 2);
  EXPECT_EQ(block->stack, (std::vector<Site>{0x401000, 0x402000}));
  const auto stack = memory_origin(told("7f08\0stack 1"s), 0x7f08);
  ASSERT_TRUE(stack);
  EXPECT_FALSE(stack->is_block);
  EXPECT_EQ(stack->task, 1);
}

// Programs can write into what we read.
TEST(MemoryOrigin, UnknownAndBroken) {
  EXPECT_FALSE(memory_origin(told("7f08\0stack 1"s), 0x7f00)) << "that is another address";
  EXPECT_FALSE(memory_origin(Execution(), 0x7f08));
  for (const std::string& text :
       {"7f08"s, "7f08\0"s, "7f08\0block"s, "7f08\0block x 10 2"s, "7f08\0stack"s, "\0stack 1"s})
    EXPECT_FALSE(memory_origin(told(text), 0x7f08)) << text;
  const auto odd = memory_origin(told("7f08\0block 7f00 10 2 zz 401000"s), 0x7f08);
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->stack.size(), 1u);
}

}  // namespace
}  // namespace heddle

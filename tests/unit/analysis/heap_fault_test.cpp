// What the runtime reports of a misuse of the heap.
#include "analysis/heap_fault.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

using namespace std::string_literals;

Execution told(const std::string& text) {
  Execution execution;
  execution.messages.push_back({MessageKind::HeapFault, 1, 9, text});
  return execution;
}

TEST(HeapFault, BlockAndWhoFreedIt) {
  const auto fault = heap_fault(told("7f00\0freed 7f00 0 2 7 403000\0block 7f00 10 0 3 401000 402000"s));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->address, 0x7f00u);
  ASSERT_EQ(fault->events.size(), 2u);
  const BlockEvent &freed = fault->events[0], &block = fault->events[1];
  EXPECT_TRUE(freed.freed);
  EXPECT_EQ(freed.task, 2);
  EXPECT_EQ(freed.steps, 7u);
  EXPECT_EQ(freed.stack, std::vector<Site>{0x403000});
  EXPECT_FALSE(block.freed);
  EXPECT_EQ(block.bytes, 16u);
  EXPECT_EQ(block.task, 0);
  EXPECT_EQ(block.steps, 3u);
  EXPECT_EQ(block.stack, (std::vector<Site>{0x401000, 0x402000}));
}

TEST(HeapFault, HowFarABlockWasOverrun) {
  const auto fault = heap_fault(told("7f00\0block 7f00 d 0 3 401000\0overrun 2"s));
  ASSERT_TRUE(fault);
  ASSERT_EQ(fault->events.size(), 1u);
  EXPECT_EQ(fault->events[0].bytes, 13u);
  EXPECT_EQ(fault->overrun_bytes, 2u);
  EXPECT_EQ(heap_fault(told("7f00\0block 7f00 d 0 3 401000"s))->overrun_bytes, 0u);
  EXPECT_EQ(heap_fault(told("7f00\0overrun"s))->overrun_bytes, 0u);
}

TEST(HeapFault, NothingMoreIsKnownOfASearch) {
  EXPECT_FALSE(heap_fault(Execution()));
  const auto fault = heap_fault(told("7f00"));
  ASSERT_TRUE(fault);
  EXPECT_TRUE(fault->events.empty());
}

// Programs can write into what we read.
TEST(HeapFault, BrokenTextsSayNothing) {
  for (const std::string& text : {""s, "x"s, "7f00\0freed"s, "7f00\0freed 7f00 0 2"s, "7f00\0freed x y z u"s,
                                  "7f00\0\0\0"s, "7f00\0other 1 2 3 4"s}) {
    const auto fault = heap_fault(told(text));
    ASSERT_TRUE(fault) << text;
    EXPECT_TRUE(fault->events.empty()) << text;
  }
  const auto fault = heap_fault(told("7f00\0freed 7f00 0 2 7 403000 x 404000"s));
  ASSERT_TRUE(fault && fault->events.size() == 1);
  EXPECT_EQ(fault->events[0].stack, (std::vector<Site>{0x403000, 0x404000}));
}

}  // namespace
}  // namespace heddle

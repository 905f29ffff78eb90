// A list of records is what a vector of them would be.
#include "trace/record_list.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

std::vector<int> content(const RecordList<int>& list) { return {list.begin(), list.end()}; }

TEST(RecordList, GrowsAndShrinks) {
  RecordList<int> list;
  EXPECT_TRUE(list.empty());
  for (int i = 0; i < 5; ++i) list.push_back(i);
  list.push_back(list[1]);
  EXPECT_EQ(content(list), (std::vector<int>{0, 1, 2, 3, 4, 1}));
  list.resize(2);
  list.resize(4);
  EXPECT_EQ(content(list), (std::vector<int>{0, 1, 0, 0}));
  EXPECT_EQ(*(list.end() - 1), list.back());
  list.clear();
  EXPECT_EQ(content(list), std::vector<int>());
}

TEST(RecordList, OnlyWhatWasWrittenCounts) {
  RecordList<int> list;
  list.push_back(7);
  int* at = list.room_for(10);
  *at++ = 8;
  *at++ = 9;
  list.ends_at(at);
  EXPECT_EQ(content(list), (std::vector<int>{7, 8, 9}));
  const std::vector<int> more{1, 2};
  append(list, more.data(), more.data() + more.size());
  EXPECT_EQ(content(list), (std::vector<int>{7, 8, 9, 1, 2}));
}

TEST(RecordList, CopiesAndMoves) {
  RecordList<int> list;
  for (int i = 0; i < 3; ++i) list.push_back(i);
  RecordList<int> copy = list;
  copy.push_back(3);
  EXPECT_EQ(content(list), (std::vector<int>{0, 1, 2}));
  const RecordList<int> moved = std::move(copy);
  EXPECT_EQ(content(moved), (std::vector<int>{0, 1, 2, 3}));
  list = moved;
  EXPECT_EQ(content(list), content(moved));
}

}  // namespace
}  // namespace heddle

// What a failed assertion of the driver's side says.
#include "trace/assert.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

int twice(int value) {
  HEDDLE_ASSERT(value >= 0, "values are counted");
  return 2 * value;
}

TEST(Assert, WhatHoldsCostsNothing) { EXPECT_EQ(twice(2), 4); }

TEST(Assert, AFailureSaysWhatAndWhere) {
  try {
    twice(-1);
    FAIL() << "it went on";
  } catch (const AssertionFailed& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("this should always be true: values are counted (value >= 0, at "), 0u) << text;
    EXPECT_NE(text.find("assert_test.cpp:12)"), std::string::npos) << text;
  }
}

TEST(Assert, APlaceIsNamedFromTheSourcesOn) {
  try {
    fail_assertion("it is so", "so", "/home/somebody/heddle/src/driver/process/session.cpp", 7);
  } catch (const AssertionFailed& error) {
    EXPECT_STREQ(error.what(), "this should always be true: it is so (so, at src/driver/process/session.cpp:7)");
  }
}

TEST(Assert, TheConditionIsEvaluatedOnce) {
  int evaluated = 0;
  HEDDLE_ASSERT(++evaluated == 1, "it is counted once");
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
}  // namespace heddle

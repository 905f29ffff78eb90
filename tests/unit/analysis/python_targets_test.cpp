// What a line of Python assigns to.
#include "analysis/python_targets.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Lines = std::vector<std::string>;

TEST(PythonTargets, WhatALineAssignsTo) {
  EXPECT_EQ(python_targets("first, second = Lock(), Lock()", "<module>"), (Lines{"first", "second"}));
  EXPECT_EQ(python_targets("self.lock: Lock = Lock()", "Queue.__init__"), (Lines{"Queue.lock"}));
  EXPECT_EQ(python_targets("lock=Lock()", "<module>"), (Lines{"lock"}));
  EXPECT_EQ(python_targets("locks[i] = Lock()", "f"), Lines());
  EXPECT_EQ(python_targets("item = queue.get()", "f"), Lines()) << "what is made there is not what is assigned";
  EXPECT_EQ(python_targets("use(a == b)", "f"), Lines());
  EXPECT_EQ(python_targets("use(lock=Lock())", "f"), Lines());
}

}  // namespace
}  // namespace heddle

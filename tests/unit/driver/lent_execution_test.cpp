// Executions that are lent go back by themselves, and only where they still belong.
#include "driver/execute/lent_execution.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(LentExecution, GoesBackWhereItIsDropped) {
  const auto desk = std::make_shared<LoanDesk>();
  auto execution = std::make_unique<Execution>();
  const Execution* const same = execution.get();
  {
    LentExecution lent(std::move(execution), desk);
    LentExecution moved = std::move(lent);
    EXPECT_EQ(&*moved, same);
  }
  const auto back = desk->take();
  EXPECT_EQ(back.get(), same);
  EXPECT_EQ(desk->take(), nullptr);
}

TEST(LentExecution, WhatComesBackTooLateIsNobodys) {
  const auto desk = std::make_shared<LoanDesk>();
  {
    const LentExecution late(std::make_unique<Execution>(), desk);
    EXPECT_EQ(desk->take(), nullptr) << "the next one has begun";
  }
  EXPECT_EQ(desk->take(), nullptr);
}

TEST(LentExecution, OneThatIsReplacedGoesBackFirst) {
  const auto desk = std::make_shared<LoanDesk>();
  auto second = std::make_unique<Execution>();
  const Execution* const last = second.get();
  LentExecution lent(std::make_unique<Execution>(), desk);
  lent = LentExecution(std::move(second), desk);
  EXPECT_EQ(&*lent, last);
  lent = {};
  EXPECT_EQ(desk->take().get(), last);
}

TEST(LentExecution, MayOutliveWhoeverLentIt) {
  auto desk = std::make_shared<LoanDesk>();
  const LentExecution lent(std::make_unique<Execution>(), desk);
  desk.reset();
  EXPECT_TRUE(lent->steps.empty());
}

}  // namespace
}  // namespace heddle::test

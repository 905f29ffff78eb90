// Whose turn it is among the parts of a search.
#include "search/turns.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

constexpr std::size_t kMain = 0, kWaiting = 1, kFirstWalk = 2, kSecondWalk = 3;

Turns four_parts() { return Turns({{0.1, false}, {0.3, false}, {0.4, true}, {0.2, true}}, kMain); }

// Hands so many plans out, each of which takes 100 steps and brings something new. The waiting part never has one.
std::vector<std::size_t> hand_out(Turns& turns, std::size_t plans) {
  std::vector<std::size_t> given(4);
  for (std::size_t i = 0; i < plans; ++i) {
    turns.nobody_waits();
    while (turns.present() == kWaiting) turns.pass();
    const std::size_t part = turns.present();
    ++given[part];
    turns.took();
    turns.brought(part, 100, true);
  }
  return given;
}

TEST(Turns, TheMainPartComesFirst) {
  Turns turns = four_parts();
  EXPECT_TRUE(turns.is_mains_alone());
  EXPECT_EQ(hand_out(turns, 16)[kMain], 16u);
}

// What it would have got goes to the others by their shares, and not to its neighbour.
TEST(Turns, APartThatWaitsLeavesItsShareToAll) {
  Turns turns = four_parts();
  hand_out(turns, 100);
  const std::vector<std::size_t> given = hand_out(turns, 1'400);
  EXPECT_EQ(given[kWaiting], 0u);
  EXPECT_NEAR(static_cast<double>(given[kMain]) / 1'400, 0.1 / 0.7, 0.05);
  EXPECT_NEAR(static_cast<double>(given[kFirstWalk]) / 1'400, 0.4 / 0.7, 0.05);
  EXPECT_NEAR(static_cast<double>(given[kSecondWalk]) / 1'400, 0.2 / 0.7, 0.05);
}

TEST(Turns, LaterTheMainPartHasTwoThirds) {
  Turns turns = four_parts();
  turns.end(kWaiting);
  hand_out(turns, 3'000);
  EXPECT_NEAR(static_cast<double>(hand_out(turns, 3'000)[kMain]) / 3'000, 2.0 / 3, 0.05);
}

TEST(Turns, AFavouredPartHasAQuarterAtLeast) {
  Turns turns = four_parts();
  turns.end(kWaiting);
  turns.favour(kSecondWalk, true);
  EXPECT_GT(hand_out(turns, 1'000)[kSecondWalk], 240u);
  hand_out(turns, 3'000);
  const std::vector<std::size_t> later = hand_out(turns, 3'000);
  EXPECT_NEAR(static_cast<double>(later[kSecondWalk]) / 3'000, 0.25, 0.03);
  // The others share the rest as they shared all.
  EXPECT_NEAR(static_cast<double>(later[kMain]) / 3'000, 2.0 / 3 * 0.75 / (1 - 0.2 / 0.6 / 3), 0.03);
  turns.favour(kSecondWalk, false);
  EXPECT_LT(hand_out(turns, 3'000)[kSecondWalk], 500u);
}

TEST(Turns, NothingIsGivenToAPartThatIsOver) {
  Turns turns = four_parts();
  turns.end(kMain);
  EXPECT_EQ(hand_out(turns, 500)[kMain], 0u);
  turns.reopen(kMain);
  EXPECT_GT(hand_out(turns, 500)[kMain], 0u);
}

}  // namespace
}  // namespace heddle

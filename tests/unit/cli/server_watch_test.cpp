// What is said of a farm's server, and when it is given up.
#include "cli/server_watch.h"

#include <gtest/gtest.h>

namespace heddle::cli {
namespace {

using namespace std::chrono_literals;

struct ServerWatchTest : testing::Test {
  ServerWatch watch{"nats://host:1", 60};
  ServerWatch::Clock::time_point begin = ServerWatch::Clock::now();
};

TEST_F(ServerWatchTest, SaysOnceThatItIsGoneAndThatItIsBack) {
  EXPECT_EQ(watch.look(true, begin), "");
  EXPECT_EQ(watch.look(false, begin + 1s), "");
  EXPECT_EQ(watch.look(false, begin + 2s), "the server nats://host:1 is gone; waiting for it");
  EXPECT_EQ(watch.look(false, begin + 3s), "");
  EXPECT_EQ(watch.look(true, begin + 4s), "the server nats://host:1 is back");
  EXPECT_EQ(watch.look(true, begin + 5s), "");
  EXPECT_EQ(watch.lost(), "");
}

TEST_F(ServerWatchTest, SaysNothingOfAMoment) {
  EXPECT_EQ(watch.look(false, begin), "");
  EXPECT_EQ(watch.look(true, begin + 500ms), "");
  EXPECT_EQ(watch.look(false, begin + 2s), "");
}

TEST_F(ServerWatchTest, GivesUpAfterItsPatienceWhichBeginsAnewWhenItWasBack) {
  watch.look(false, begin);
  watch.look(false, begin + 60s);
  EXPECT_EQ(watch.lost(), "");
  watch.look(true, begin + 61s);
  watch.look(false, begin + 62s);
  watch.look(false, begin + 100s);
  EXPECT_EQ(watch.lost(), "");
  watch.look(false, begin + 123s);
  EXPECT_EQ(watch.lost(), "the server nats://host:1 is gone, and has not come back within 60 s");
}

}  // namespace
}  // namespace heddle::cli

// The places to which the unwinder jumps lie in the function, and are those where it comes to.
#include "runtime/patch/functions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace heddle::runtime {
namespace {

Site caught_at = 0;

__attribute__((noinline)) void throws(int what) {
  if (what == 1) throw std::runtime_error("one");
  if (what == 2) throw 2;
}

// Notes where it goes on behind each landing pad.
__attribute__((noinline)) int catches(int what) {
  try {
    throws(what);
  } catch (const std::runtime_error&) {
    asm volatile("leaq 0(%%rip), %0" : "=r"(caught_at));
    return 1;
  } catch (int) {
    asm volatile("leaq 0(%%rip), %0" : "=r"(caught_at));
    return 2;
  }
  return 0;
}

__attribute__((noinline)) int catches_nothing(int what) { return what + 1; }

std::vector<Site> pads_of(Site function) {
  const Functions functions(function);
  const std::size_t index = functions.behind(function) - 1;
  EXPECT_EQ(functions.begin(index), function);
  std::vector<Site> pads;
  EXPECT_TRUE(functions.for_each_landing_pad(
      index, [](Site place, void* to) { static_cast<std::vector<Site>*>(to)->push_back(place); }, &pads));
  for (const Site pad : pads) {
    EXPECT_GT(pad, functions.begin(index));
    EXPECT_LT(pad, functions.end(index));
  }
  return pads;
}

TEST(Functions, HaveLandingPads) {
  const std::vector<Site> pads = pads_of(reinterpret_cast<Site>(&catches));
  ASSERT_FALSE(pads.empty());
  for (const int what : {1, 2}) {
    EXPECT_EQ(catches(what), what);
    EXPECT_LT(*std::min_element(pads.begin(), pads.end()), caught_at);
  }
}

TEST(Functions, WithoutExceptionsHaveNone) {
  EXPECT_EQ(catches_nothing(1), 2);
  EXPECT_TRUE(pads_of(reinterpret_cast<Site>(&catches_nothing)).empty());
}

}  // namespace
}  // namespace heddle::runtime

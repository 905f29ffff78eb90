// What a terminal would obey is escaped; all else stays.
#include "trace/printable.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Printable, OrdinaryTextStays) {
  const std::string text = "one\ttwo\nä … 日本 \xf0\x9f\x98\x80 \xff\xfe\xc3";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, WhatATerminalObeysIsEscaped) {
  EXPECT_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("done\rBUG\b\x7f"), "done\\x0dBUG\\x08\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\u009b2J");
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "cod\xe2\x81\xa6"),
            "\\u202ecod\\u2066");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, OnlyOurOwnColorsStay) {
  EXPECT_EQ(printable("\x1b[1;31mred\x1b[0m", true), "\x1b[1;31mred\x1b[0m");
  EXPECT_EQ(printable("\x1b[1;31mred\x1b[0m"), "\\x1b[1;31mred\\x1b[0m");
  EXPECT_EQ(printable("\x1b[8mhidden\x1b[2J", true), "\\x1b[8mhidden\\x1b[2J");
}

}  // namespace
}  // namespace heddle

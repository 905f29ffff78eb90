// Bytes as values of their types.
#include "analysis/value_type.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Kind = ValueType::Kind;

TEST(ValueType, IntegersAreAsLargeAsTheirType) {
  EXPECT_EQ((ValueType{Kind::Signed, 1}.text(0xff, 1)), "-1");
  EXPECT_EQ((ValueType{Kind::Unsigned, 1}.text(0xff, 1)), "255");
  EXPECT_EQ((ValueType{Kind::Signed, 4}.text(0xffffffff, 4)), "-1");
  EXPECT_EQ((ValueType{Kind::Unsigned, 4}.text(0xffffffff, 4)), "4294967295");
  EXPECT_EQ((ValueType{Kind::Signed, 8}.text(~std::uint64_t{0}, 8)), "-1");
}

TEST(ValueType, OfAnUnknownTypeSmallOnesAreUnsigned) {
  EXPECT_EQ(ValueType().text(0xff, 1), "255");
  EXPECT_EQ(ValueType().text(0xffffffff, 4), "-1");
  EXPECT_EQ(ValueType().text(7, 8), "7");
}

TEST(ValueType, WordsForWhatIsNoNumber) {
  EXPECT_EQ((ValueType{Kind::Boolean, 1}.text(1, 1)), "true");
  EXPECT_EQ((ValueType{Kind::Boolean, 1}.text(0, 1)), "false");
  EXPECT_EQ((ValueType{Kind::Boolean, 1}.text(7, 1)), "7");
  EXPECT_EQ((ValueType{Kind::Pointer, 8}.text(0, 8)), "null");
  EXPECT_EQ((ValueType{Kind::Pointer, 8}.text(0x7ff020200018, 8)), "0x7ff020200018");
  EXPECT_EQ((ValueType{Kind::Floating, 8}.text(0x3ff8000000000000, 8)), "1.5");
  EXPECT_EQ((ValueType{Kind::Floating, 4}.text(0x40200000, 4)), "2.5");
}

TEST(ValueType, AnEnumeratorIsNamedAndAnotherValueIsANumber) {
  const ValueType state{Kind::Enumeration, 4, {{0, "kIdle"}, {0xffffffff, "kBroken"}}};
  EXPECT_EQ(state.text(0, 4), "kIdle");
  EXPECT_EQ(state.text(0xffffffff, 4), "kBroken");
  EXPECT_EQ(state.text(5, 4), "5");
}

TEST(ValueType, NothingIsToldWhereTheTypeIsNotThatOfTheBytes) {
  EXPECT_EQ((ValueType{Kind::Unsigned, 2}.text(0x12345, 4)), "");  // what lies behind it is another variable
  EXPECT_EQ((ValueType{Kind::Signed, 8}.text(1, 4)), "");
  EXPECT_EQ((ValueType{Kind::Floating, 2}.text(0x3e00, 2)), "");  // half precision
  EXPECT_EQ((ValueType{Kind::Opaque, 4}.text(7, 4)), "");
  EXPECT_EQ((ValueType{Kind::Opaque}.text(7, 8)), "");
}

}  // namespace
}  // namespace heddle

// Places in the code that mean the same in every process.
#include "trace/code_place.h"

#include <gtest/gtest.h>

#include "protocol/shared.h"

namespace heddle {
namespace {

ModuleMap modules() {
  ModuleMap result;
  result.add({"/home/me/program", 0x550000000000, 0x550000000000, 0x550000004000});
  result.add({"/home/me/a/libx.so", 0x7f0000000000, 0x7f0000000000, 0x7f0000002000});
  result.add({"/home/me/b/libx.so", 0x7f0000010000, 0x7f0000010000, 0x7f0000012000});
  // Where another library lay before, in another execution of this process.
  result.add({"/home/me/liby.so", 0x7f0000000000, 0x7f0000000000, 0x7f0000001000});
  return result;
}

RaceRecord access(Site site, std::uint32_t module) {
  RaceRecord record;
  record.site = site;
  record.module = module;
  return record;
}

TEST(CodePlace, OfAnAccessByTheFileThatTheProgramNamed) {
  EXPECT_EQ(place_of_access(access(0x550000001234, 1), modules()), (CodePlace{"program", 0x1234}));
  EXPECT_EQ(place_of_access(access(0x7f0000000100, 2), modules()), (CodePlace{"libx.so", 0x100}));
  EXPECT_EQ(place_of_access(access(0x7f0000000100, 4), modules()), (CodePlace{"liby.so", 0x100}));
  EXPECT_TRUE(place_of_access(access(0x7f0000000100, 4), modules()).named());
}

// Code that was made while the program ran, and what the program may have written there.
TEST(CodePlace, WithoutAFileItIsAnAddress) {
  for (const std::uint32_t module : {0u, 1u, 5u, UINT32_MAX}) {
    const CodePlace place = place_of_access(access(0x7e0000000100, module), modules());
    EXPECT_EQ(place, (CodePlace{"", 0x7e0000000100})) << module;
    EXPECT_FALSE(place.named());
  }
  ModuleMap cut_off;
  cut_off.add({std::string(kPathCapacity - 1, 'x'), 0, 0, 0x1000});
  EXPECT_FALSE(place_of_access(access(0x10, 1), cut_off).named()) << "its name may go on";
}

TEST(CodePlace, TextAndBack) {
  const auto back = [](const std::string& text) {
    CodePlace place;
    EXPECT_TRUE(parse_place(text, modules(), place)) << text;
    return place;
  };
  EXPECT_EQ(text_of({"program", 0x1234}, modules()), "program+0x1234");
  EXPECT_EQ(text_of({"", 0x550000001234}, modules()), "program+0x1234");
  EXPECT_EQ(text_of({"", 0x7e0000000100}, modules()), "0x7e0000000100");
  EXPECT_EQ(back("program+0x1234"), (CodePlace{"program", 0x1234}));
  EXPECT_EQ(back("libx.so#2+0x100"), (CodePlace{"libx.so", 0x100}));
  EXPECT_EQ(back("libplugin.so+0x100"), (CodePlace{"libplugin.so", 0x100})) << "loaded in another execution";
  EXPECT_EQ(back("0x7e0000000100"), (CodePlace{"", 0x7e0000000100}));
  CodePlace place;
  for (const char* wrong : {"", "program", "program+", "program+0x", "program+0xg", "+0x12"})
    EXPECT_FALSE(parse_place(wrong, modules(), place)) << wrong;
}

TEST(CodePlace, NumberedSitesAreFoundInEachProcess) {
  const Site numbered = ModuleMap::kNumbered | Site{7} << ModuleMap::kNumberShift | 0x1234;
  ModuleMap one, other, without;
  one.add({"/home/me/program", 0x550000000000, 0x550000000000, 0x550000004000, false, 7});
  other.add({"/lib/libc.so.6", 0x7f0000000000, 0x7f0000000000, 0x7f0000004000, false, 8});
  other.add({"/home/me/program", 0x560000000000, 0x560000000000, 0x560000004000, false, 7});
  EXPECT_EQ(one.here(numbered), 0x550000001234u);
  EXPECT_EQ(other.here(numbered), 0x560000001234u);
  EXPECT_EQ(without.here(numbered), numbered);
  for (const Site address : {Site{0}, Site{0x1234}, Site{0x7fffffffffff}, Site{0xffffffffff600000}})
    EXPECT_EQ(one.here(address), address);
}

}  // namespace
}  // namespace heddle

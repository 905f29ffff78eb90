// Room that is found between functions belongs to none of them, and can be reached.
#include "runtime/patch/padding.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <iterator>

namespace heddle::runtime {
namespace {

constexpr const char* kFunctions[] = {"write", "read",   "close", "lseek",  "openat", "fstat",  "fork",  "printf",
                                      "qsort", "malloc", "sleep", "getpid", "strtol", "mktime", "popen", "system"};
constexpr std::size_t kSize = 5;
constexpr std::ptrdiff_t kReach = 128;

Site address_of(const char* name) { return reinterpret_cast<Site>(dlsym(RTLD_DEFAULT, name)); }

// Does the address lie in a function that the library offers?
bool is_in_function(Site address) {
  Dl_info information{};
  void* entry = nullptr;
  if (dladdr1(reinterpret_cast<void*>(address), &information, &entry, RTLD_DL_SYMENT) == 0) return false;
  const auto* const symbol = static_cast<const ElfW(Sym)*>(entry);
  const auto begin = reinterpret_cast<Site>(information.dli_saddr);
  return symbol != nullptr && address >= begin && address < begin + symbol->st_size;
}

TEST(Padding, BelongsToNoFunctionAndIsInReach) {
  unsigned found_at_all = 0;
  for (const char* name : kFunctions) {
    const Site function = address_of(name);
    ASSERT_NE(function, 0u) << name;
    for (Site from = function + 1; from < function + 64; ++from) {
      const Site found = find_padding(from, kSize);
      if (found == 0) continue;
      ++found_at_all;
      const auto distance = static_cast<std::ptrdiff_t>(found - from);
      EXPECT_GE(distance, -kReach);
      EXPECT_LT(distance, kReach);
      for (Site at = found; at < found + kSize; ++at) EXPECT_FALSE(is_in_function(at)) << name;
    }
  }
  EXPECT_GT(found_at_all, std::size(kFunctions));
}

TEST(Padding, IsNotFoundWhereItWouldBeTooLarge) { EXPECT_EQ(find_padding(address_of("write") + 1, 64), 0u); }

TEST(Padding, IsNotFoundOutsideOfLibraries) {
  int variable = 0;
  void* const block = std::malloc(64);
  EXPECT_EQ(find_padding(reinterpret_cast<Site>(&variable), kSize), 0u);
  EXPECT_EQ(find_padding(reinterpret_cast<Site>(block), kSize), 0u);
  EXPECT_EQ(find_padding(1, kSize), 0u);
  std::free(block);
}

}  // namespace
}  // namespace heddle::runtime

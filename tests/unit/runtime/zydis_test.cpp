// Lengths, jumps and atomic instructions in the libraries of this process, compared with Zydis.
#if __has_include(<Zydis/Zydis.h>)
#include <Zydis/Zydis.h>
#include <gtest/gtest.h>
#include <link.h>

#include <map>
#include <vector>

#include "runtime/patch/code_points.h"
#include "runtime/patch/functions.h"
#include "runtime/patch/instructions.h"

namespace heddle::runtime {
namespace {

class Zydis {
 public:
  Zydis() { ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }
  bool read(const unsigned char* code, std::size_t bytes) {
    return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder_, code, bytes, &is_, operands_));
  }
  std::size_t bytes() const { return is_.length; }
  bool is_atomic() const {
    const bool exchange = is_.mnemonic == ZYDIS_MNEMONIC_XCHG && (operands_[0].type == ZYDIS_OPERAND_TYPE_MEMORY ||
                                                                  operands_[1].type == ZYDIS_OPERAND_TYPE_MEMORY);
    return exchange || (is_.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || is_.mnemonic == ZYDIS_MNEMONIC_MFENCE;
  }

 private:
  ZydisDecoder decoder_{};
  ZydisDecodedInstruction is_{};
  ZydisDecodedOperand operands_[ZYDIS_MAX_OPERAND_COUNT]{};
};

struct Compared {
  std::size_t functions = 0, understood = 0, instructions = 0, atomics = 0;
};

using Points = std::map<std::size_t, CodePoint>;

void compare_function(const Code& code, const CodeOfFunction& function, JumpTargets& targets, Compared& all) {
  Points points;
  ++all.functions;
  if (!find_code_points(
          code, function, targets,
          [](const CodePoint& point, void* to) { static_cast<Points*>(to)->emplace(point.at, point); }, &points))
    return;
  ++all.understood;
  Zydis zydis;
  for (std::size_t at = function.begin; at < function.end; at += zydis.bytes()) {
    ASSERT_TRUE(zydis.read(code.begin + at, code.bytes - at)) << at;
    ++all.instructions;
    if (const std::size_t bytes = instruction_length(code.begin + at); bytes != 0) {
      ASSERT_EQ(bytes, zydis.bytes()) << at;
    }
    const auto found = points.find(at);
    const bool is_point = found != points.end() && found->second.kind != CodePointKind::Wait;
    ASSERT_EQ(is_point, zydis.is_atomic()) << at;
    if (is_point) {
      ASSERT_EQ(found->second.bytes, zydis.bytes());
    }
    all.atomics += is_point ? 1 : 0;
  }
}

int compare_file(dl_phdr_info* info, std::size_t, void* result) {
  auto& all = *static_cast<Compared*>(result);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const Code code{reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr), segment.p_filesz};
    const auto begin = reinterpret_cast<Site>(code.begin);
    const Functions functions(begin);
    std::vector<std::uint64_t> words(code.bytes / JumpTargets::kBitsOfWord + 1);
    JumpTargets targets(words.data());
    for (std::size_t index = 0; index < functions.count(); ++index) {
      const Site from = functions.begin(index), to = functions.end(index);
      if (from < begin || to <= from || to > begin + code.bytes - kLongestInstruction) continue;
      compare_function(code, {from - begin, to - begin, false}, targets, all);
      if (testing::Test::HasFatalFailure()) return 1;
    }
  }
  return 0;
}

// libc, libm, libstdc++ and this program: hand-written and vectorized code, and thousands of compiled functions.
TEST(Zydis, ReadsTheSameInstructions) {
  Compared all;
  dl_iterate_phdr(compare_file, &all);
  EXPECT_GT(all.understood, all.functions * 98 / 100);
  EXPECT_GT(all.instructions, 300'000u);
  EXPECT_GT(all.atomics, 500u);
}

}  // namespace
}  // namespace heddle::runtime
#endif

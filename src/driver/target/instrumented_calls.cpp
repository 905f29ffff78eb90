// See instrumented_calls.h. Nothing is disassembled. A direct call is a byte and a distance. Four bytes of something
// else hardly ever give the distance to one of these functions, or to code at all. (Such a false match would do no
// harm: no call ever comes from there.) An indirect call is a byte and an operand; some of the matches are not calls.
#include "driver/target/instrumented_calls.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "driver/process/descriptor.h"

namespace heddle {
namespace {

constexpr unsigned char kCall = 0xe8;
constexpr std::size_t kCallBytes = 5;

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

bool is_instrumentation(std::string_view name) {
  return name.substr(0, 7) == "__tsan_" || name.substr(0, 10) == "__wrap_mem";
}

// Calls visit(section, header) for each.
template <typename Visit>
void each_section(Elf* elf, Visit visit) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section))
    if (GElf_Shdr header; gelf_getshdr(section, &header) != nullptr) visit(section, header);
}

std::unordered_set<std::uint64_t> find_functions(Elf* elf) {
  std::unordered_set<std::uint64_t> result;
  each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* const data = header.sh_type == SHT_SYMTAB ? elf_getdata(section, nullptr) : nullptr;
    if (data == nullptr || header.sh_entsize == 0) return;
    const std::size_t count = data->d_size / header.sh_entsize;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
      const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
      if (name != nullptr && symbol.st_value != 0 && is_instrumentation(name)) result.insert(symbol.st_value);
    }
  });
  return result;
}

// What code lies where.
struct Code {
  const unsigned char* bytes;
  std::size_t size;
  std::uint64_t address;
  bool holds(std::uint64_t target) const { return target - address < size; }
};

std::vector<Code> code_of(Elf* elf) {
  std::vector<Code> result;
  each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_type != SHT_PROGBITS) return;
    const Elf_Data* const data = elf_getdata(section, nullptr);
    if (data != nullptr && data->d_buf != nullptr)
      result.push_back({static_cast<const unsigned char*>(data->d_buf), data->d_size, header.sh_addr});
  });
  return result;
}

// Appends what the direct calls in this code return to, if `is_wanted` is true of the address that they call.
template <typename IsWanted>
void take_direct_calls(const Code& code, IsWanted is_wanted, std::vector<std::uint64_t>& result) {
  for (std::size_t at = 0; at + kCallBytes <= code.size; ++at) {
    if (code.bytes[at] != kCall) continue;
    std::int32_t distance;
    std::memcpy(&distance, code.bytes + at + 1, sizeof distance);
    const std::uint64_t behind = code.address + at + kCallBytes;
    if (is_wanted(behind + static_cast<std::uint64_t>(std::int64_t{distance}))) result.push_back(behind);
  }
}

// How long an indirect call is: its byte, the operand's (ModRM, whose middle says that it is a call), perhaps SIB, and
// an offset. 0: this is none.
std::size_t size_of_indirect_call(const unsigned char* code, std::size_t left) {
  constexpr unsigned char kIndirect = 0xff, kCallInModRm = 2, kSib = 4, kNoBase = 5;
  if (left < 3 || code[0] != kIndirect || (code[1] >> 3 & 7) != kCallInModRm) return 0;
  const unsigned mode = code[1] >> 6u, operand = code[1] & 7u;
  if (mode == 3) return 2;
  const bool has_sib = operand == kSib;
  const bool no_base = mode == 0 && (has_sib ? code[2] & 7u : operand) == kNoBase;
  return 2 + (has_sib ? 1 : 0) + (mode == 1 ? 1 : mode == 2 || no_base ? 4 : 0);
}

void take_indirect_calls(const Code& code, std::vector<std::uint64_t>& result) {
  for (std::size_t at = 0; at < code.size; ++at)
    if (const std::size_t size = size_of_indirect_call(code.bytes + at, code.size - at); size != 0)
      result.push_back(code.address + at + size);
}

// An instruction up to its operand in memory, as far as an atomic operation needs: `lock`, what may follow that, the
// operation, and the operand's byte (ModRM).
struct AtomicCode {
  static constexpr std::size_t kMost = 16;  // bytes that are looked at
  bool locked = false;
  bool two_bytes = false;  // 0f stands before the operation
  unsigned char operation = 0, operand = 0;
  std::size_t bytes = 0;  // up to the operand's byte
  unsigned mode() const { return operand >> 6u; }
  unsigned number() const { return operand >> 3u & 7u; }       // some operations have one there
  bool is_relative() const { return (operand & 0xc7u) == 5; }  // a distance of four bytes from the end follows

  explicit AtomicCode(const unsigned char* code) {
    constexpr unsigned char kLock = 0xf0, kSixteenBits = 0x66, kRex = 0x40, kTwoBytes = 0x0f;
    const unsigned char* at = code;
    if ((locked = *at == kLock)) ++at;
    if (*at == kSixteenBits) ++at;
    if ((*at & 0xf0) == kRex) ++at;
    if ((two_bytes = *at == kTwoBytes)) ++at;
    operation = at[0];
    operand = at[1];
    bytes = static_cast<std::size_t>(at + 2 - code);
  }

  // cmpxchg, xadd, cmpxchg16b: without `lock` nobody writes the first two, and all else that looks like the third has
  // no memory or another number. So it is hardly ever something else.
  bool is_certain() const {
    if (!locked || !two_bytes || mode() == 3) return false;
    return (operation & 0xfe) == 0xb0 || (operation & 0xfe) == 0xc0 || (operation == 0xc7 && number() == 1);
  }
  // add, or, and, sub, xor with a constant (for 7, cmp, there is no `lock`).
  bool has_constant() const {
    return !two_bytes && operation >= 0x80 && operation <= 0x83 && operation != 0x82 && number() != 7;
  }
  bool is_update() const {
    const bool of_register = (operation & 0xc6) == 0 && operation < 0x38;  // the same with a register
    const bool by_one = (operation & 0xfe) == 0xfe && number() < 2;
    const bool is_exchange = (operation & 0xfe) == 0x86;  // which is atomic without `lock`
    return !two_bytes && (is_exchange || (locked && (of_register || by_one || has_constant())));
  }
  std::size_t constant_bytes() const { return !has_constant() ? 0 : operation == 0x81 ? 4 : 1; }
};

// Could the byte 0xf0 behind this one be the end of an instruction? Then it is no `lock`.
bool may_end_with_next(unsigned char before) {
  const bool is_operand_with_distance = before >> 6u == 1 || before == 0x24 || (before & 0xc7u) == 5;
  const bool is_operation = before < 0x40 || (before >= 0x80 && before <= 0x8f) || (before >= 0xb0 && before <= 0xbf);
  return is_operand_with_distance || is_operation || before == kCall || before == kCall + 1;
}

// Does it change memory that `is_variable` is true of, or that a register points to?
template <typename IsVariable>
bool is_atomic_update(const Code& code, std::size_t at, IsVariable is_variable) {
  unsigned char bytes[AtomicCode::kMost] = {};  // behind the end of the code nothing can be read
  std::memcpy(bytes, code.bytes + at, std::min(sizeof bytes, code.size - at));
  const AtomicCode found(bytes);
  if (found.is_certain()) return true;
  if (!found.is_update()) return false;
  if (!found.is_relative())
    return found.locked && found.has_constant() && found.mode() < 2 && (found.operand & 7u) != 5 && at != 0 &&
           !may_end_with_next(code.bytes[at - 1]);
  std::int32_t distance;
  std::memcpy(&distance, bytes + found.bytes, sizeof distance);
  const std::uint64_t end = code.address + at + found.bytes + sizeof distance + found.constant_bytes();
  return is_variable(end + static_cast<std::uint64_t>(std::int64_t{distance}));
}

// Calls use(elf); nothing happens where the file can't be read.
template <typename Use>
void with_file(const std::string& path, Use use) {
  elf_version(EV_CURRENT);
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ, nullptr), elf_end);
  if (elf) use(elf.get());
}

}  // namespace

std::vector<std::uint64_t> instrumented_calls(const std::string& path) {
  std::vector<std::uint64_t> result;
  with_file(path, [&](Elf* elf) {
    const auto functions = find_functions(elf);
    if (functions.empty()) return;
    for (const Code& code : code_of(elf))
      take_direct_calls(
          code, [&](std::uint64_t called) { return functions.count(called) != 0; }, result);
  });
  std::sort(result.begin(), result.end());
  return result;
}

bool has_atomic_updates(const std::string& path) {
  bool found = false;
  with_file(path, [&](Elf* elf) {
    std::vector<GElf_Shdr> variables;
    each_section(elf, [&](Elf_Scn*, const GElf_Shdr& header) {
      constexpr std::uint64_t kVariable = SHF_ALLOC | SHF_WRITE;
      if ((header.sh_flags & (kVariable | SHF_TLS)) == kVariable) variables.push_back(header);
    });
    const auto is_variable = [&](std::uint64_t address) {
      return std::any_of(variables.begin(), variables.end(),
                         [&](const GElf_Shdr& section) { return address - section.sh_addr < section.sh_size; });
    };
    for (const Code& code : code_of(elf))
      for (std::size_t at = 0; at < code.size && !found; ++at) found = is_atomic_update(code, at, is_variable);
  });
  return found;
}

std::vector<std::uint64_t> all_calls(const std::string& path) {
  std::vector<std::uint64_t> result;
  with_file(path, [&](Elf* elf) {
    const std::vector<Code> all = code_of(elf);
    const auto is_code = [&](std::uint64_t called) {
      return std::any_of(all.begin(), all.end(), [&](const Code& code) { return code.holds(called); });
    };
    for (const Code& code : all) {
      take_direct_calls(code, is_code, result);
      take_indirect_calls(code, result);
    }
  });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace heddle

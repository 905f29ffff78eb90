// See instrumented_calls.h. Nothing is disassembled: a direct call is a byte and a distance, and that four bytes of
// something else should give the distance to one of these functions hardly happens. (It would cost nothing: nobody
// comes from there.)
#include "driver/instrumented_calls.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "driver/descriptor.h"

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

}  // namespace

std::vector<std::uint64_t> instrumented_calls(const std::string& path) {
  elf_version(EV_CURRENT);
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ, nullptr), elf_end);
  std::vector<std::uint64_t> result;
  if (!elf) return result;
  const auto functions = find_functions(elf.get());
  if (functions.empty()) return result;
  each_section(elf.get(), [&](Elf_Scn* section, const GElf_Shdr& header) {
    if ((header.sh_flags & SHF_EXECINSTR) == 0 || header.sh_type != SHT_PROGBITS) return;
    const Elf_Data* const data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return;
    const auto* const code = static_cast<const unsigned char*>(data->d_buf);
    for (std::size_t at = 0; at + kCallBytes <= data->d_size; ++at) {
      if (code[at] != kCall) continue;
      std::int32_t distance;
      std::memcpy(&distance, code + at + 1, sizeof distance);
      const std::uint64_t behind = header.sh_addr + at + kCallBytes;
      if (functions.count(behind + static_cast<std::uint64_t>(std::int64_t{distance})) != 0) result.push_back(behind);
    }
  });
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace heddle

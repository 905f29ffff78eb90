// See time_stamps.h.
#include "driver/target/time_stamps.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>

#include "driver/process/descriptor.h"
#include "protocol/known_libraries.h"
#include "protocol/time_stamp_code.h"

namespace heddle {
namespace {

using Bytes = std::span<const unsigned char>;
using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

constexpr std::size_t kMax = 3;
// So much code that two bytes are not likely to be there by chance.
constexpr std::size_t kLittleCode = 32768;
// Compilers join the halves that near behind it.
constexpr std::size_t kNear = 24;

// Those of the C and C++ libraries and of OpenSSL decide nothing that a schedule could depend on.
bool is_harmless(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return is_known_library(name) || name.starts_with("libcrypto.") || name.starts_with("libssl.") || name == "[vdso]";
}

void scan_code(Bytes code, std::uint64_t address, std::vector<Site>& found) {
  for (std::size_t at = 0; at < code.size() && found.size() < kMax; ++at) {
    const Bytes rest = code.subspan(at);
    const TimeStampCode read = time_stamp_code_at(rest.data(), rest.size());
    if (read.bytes == 0 || read.replaceable) continue;
    const Bytes behind = rest.subspan(read.bytes, std::min(kNear, rest.size() - read.bytes));
    if (code.size() <= kLittleCode || time_stamp_code::joins_halves(behind.data(), behind.size()))
      found.push_back(address + at + read.bytes);  // as a call's return address
  }
}

void scan_module(const ModuleMap::Entry& module, std::vector<Site>& found) {
  const Descriptor file(open(module.path.c_str(), O_RDONLY | O_CLOEXEC));
  const ElfHandle elf(elf_begin(file.get(), ELF_C_READ, nullptr), elf_end);
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) return;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
    if ((header.sh_flags & SHF_EXECINSTR) == 0) continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    scan_code({static_cast<const unsigned char*>(data->d_buf), data->d_size}, module.base + header.sh_addr, found);
  }
}

}  // namespace

std::vector<Site> time_stamp_reads(const ModuleMap& modules) {
  std::vector<Site> found;
  elf_version(EV_CURRENT);
  for (const ModuleMap::Entry& module : modules.entries())
    if (!is_harmless(module.path) && found.size() < kMax) scan_module(module, found);
  return found;
}

}  // namespace heddle

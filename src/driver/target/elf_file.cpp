// See elf_file.h.
#include "driver/target/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>

#include <cstring>
#include <memory>

#include "analysis/function_name.h"
#include "driver/process/descriptor.h"

namespace heddle {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

std::string text_at(Elf* elf, const GElf_Phdr& header) {
  Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(header.p_offset), header.p_filesz, ELF_T_BYTE);
  if (data == nullptr) return {};
  const auto* text = static_cast<const char*>(data->d_buf);
  return {text, strnlen(text, data->d_size)};
}

// Linkers mark position-independent programs, static ones among them.
bool is_marked_as_program(Elf* elf, const GElf_Phdr& header) {
  Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(header.p_offset), header.p_filesz, ELF_T_DYN);
  GElf_Dyn entry;
  for (int i = 0; data != nullptr && gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i)
    if (entry.d_tag == DT_FLAGS_1) return (entry.d_un.d_val & DF_1_PIE) != 0;
  return false;
}

void read_segments(ElfFile& file, Elf* elf) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return;
  bool marked = false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return;
    if (header.p_type == PT_INTERP) file.interpreter = text_at(elf, header);
    if (header.p_type == PT_DYNAMIC) marked = is_marked_as_program(elf, header);
  }
  file.is_executable = file.type == ET_EXEC || marked || !file.interpreter.empty();
}

// All that is to be loaded lies in the file.
bool is_whole(Elf* elf, std::uint64_t file_bytes) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0) return false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return false;
    if (header.p_type != PT_LOAD) continue;
    if (header.p_filesz > file_bytes || header.p_offset > file_bytes - header.p_filesz) return false;
  }
  return true;
}

bool is_named(const char* symbol, const std::string& function) {
  if (function == symbol) return true;
  return std::strncmp(symbol, "_Z", 2) == 0 && short_function_name(demangle(symbol)) == function;
}

void read_symbol(ElfFile& file, const char* name, const GElf_Sym& symbol, const std::string& function) {
  if (std::strcmp(name, "__tsan_init") == 0) file.thread_sanitizer = true;
  if (std::strcmp(name, "heddle_module") == 0) file.instrumented = true;
  if (std::strcmp(name, "__msan_init") == 0) file.memory_sanitizer = true;
  if (std::strcmp(name, "__asan_init") == 0) file.address_sanitizer = true;
  if (function.empty() || file.function_address != 0) return;
  if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) return;
  if (is_named(name, function)) file.function_address = symbol.st_value;
}

void read_symbols(ElfFile& file, Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::string& function) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  const std::size_t count = data->d_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr && *name != '\0') read_symbol(file, name, symbol, function);
  }
}

void read_sections(ElfFile& file, Elf* elf, const std::string& function) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && (std::strcmp(name, ".debug_info") == 0 || std::strcmp(name, ".gnu_debuglink") == 0))
      file.has_debug_information = true;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      read_symbols(file, elf, section, header, function);
  }
}

}  // namespace

std::optional<ElfFile> ElfFile::read(const std::string& path, const std::string& function) {
  elf_version(EV_CURRENT);
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ, nullptr), elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr) return std::nullopt;
  struct stat information {};
  if (fstat(descriptor.get(), &information) != 0) return std::nullopt;
  if (!is_whole(elf.get(), static_cast<std::uint64_t>(information.st_size))) return std::nullopt;
  ElfFile file;
  file.machine = header.e_machine;
  file.type = header.e_type;
  file.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
  read_segments(file, elf.get());
  read_sections(file, elf.get(), function);
  return file;
}

std::string ElfFile::machine_name() const {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x32";
    case EM_AARCH64:
      return "64-bit ARM";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "64-bit PowerPC";
    case EM_S390:
      return "S/390";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

}  // namespace heddle

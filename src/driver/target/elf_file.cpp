// See elf_file.h.
#include "driver/target/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <string_view>

#include "analysis/function_name.h"
#include "driver/process/descriptor.h"
#include "instrument/table.h"

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

// What the module says of itself. That its symbol is not in the file's data can't be.
bool is_of_another_version(Elf* elf, const GElf_Sym& module) {
  Elf_Scn* const section = elf_getscn(elf, module.st_shndx);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr) return false;
  const Elf_Data* const data = elf_getdata(section, nullptr);
  const std::uint64_t offset = module.st_value - header.sh_addr;
  std::uint32_t words[2];  // version, size
  if (data == nullptr || data->d_buf == nullptr || offset > data->d_size || data->d_size - offset < sizeof words)
    return false;
  std::memcpy(words, static_cast<const char*>(data->d_buf) + offset, sizeof words);
  return words[0] != instrument::kInstrumentVersion || words[1] != sizeof(instrument::Module);
}

// The symbols of a source stand behind its name. The compiler puts a function into each source that it instruments,
// which registers it.
class Sources {
 public:
  explicit Sources(ElfFile& file) : file_(file) {}
  ~Sources() { end(); }
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  void take(std::string_view name, unsigned type) {
    if (type == STT_FILE) {
      end();
      name_ = name;
    } else if (name.starts_with("_sub_I_00099_") || name.starts_with("tsan.module_ctor")) {
      instrumented_ = true;
    }
  }

 private:
  // Sources of the compiler's own, and those that heddle-cc links in, are not the user's.
  static bool is_users(std::string_view name) {
    constexpr std::string_view kOurs[] = {
        "accesses.cpp",        "allocations.cpp", "annotations.cpp", "atomic_instruction.cpp", "atomics.cpp",
        "inline_assembly.cpp", "memory.cpp",      "module.cpp",      "operators.cpp"};
    return !name.empty() && !name.ends_with(".o") && name != "crtstuff.c" &&
           std::find(std::begin(kOurs), std::end(kOurs), name) == std::end(kOurs);
  }

  void end() {
    if (instrumented_)
      ++file_.instrumented_sources;
    else if (is_users(name_))
      file_.plain_sources.emplace_back(name_);
    name_ = {};
    instrumented_ = false;
  }

  ElfFile& file_;
  std::string_view name_;
  bool instrumented_ = false;
};

// Where the debug information was taken out of the file, the name of the other file is left.
void read_debug_link(ElfFile& file, std::string_view section_name, Elf_Scn* section) {
  if (section_name != ".gnu_debuglink") return;
  const Elf_Data* const data = elf_getdata(section, nullptr);
  if (data != nullptr && data->d_buf != nullptr)
    file.debug_link = std::string(static_cast<const char*>(data->d_buf),
                                  strnlen(static_cast<const char*>(data->d_buf), data->d_size));
}

// Messages of panics name the sources of Rust's standard library: these paths where it was compiled by its makers or by
// Debian, others where it was compiled with the program (-Zbuild-std).
bool holds_shipped_rust_library(std::string_view constants) {
  constexpr std::string_view kShipped[] = {"/rustc/", "/usr/src/rustc-"};
  constexpr std::string_view kSources = "/library/std/src/";
  constexpr std::size_t kMostBetween = 64;  // a hash, or a version
  for (auto at = constants.find(kSources); at != std::string_view::npos; at = constants.find(kSources, at + 1)) {
    const std::size_t begin = at > kMostBetween ? at - kMostBetween : 0;
    const std::string_view before = constants.substr(begin, at - begin);
    for (const std::string_view shipped : kShipped)
      if (before.find(shipped) != std::string_view::npos) return true;
  }
  return false;
}

// A file without symbols still holds the name that it asks the loader for.
void read_constants(ElfFile& file, Elf_Scn* section) {
  constexpr std::string_view kAsked = "heddle_instrument_attach";
  const Elf_Data* const data = elf_getdata(section, nullptr);
  if (data == nullptr || data->d_buf == nullptr) return;
  const std::string_view constants(static_cast<const char*>(data->d_buf), data->d_size);
  if (constants.find(kAsked) != std::string_view::npos) file.instrumented = true;
  file.plain_rust_library = file.plain_rust_library || holds_shipped_rust_library(constants);
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
  Sources sources(file);
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB) sources.take(name, GELF_ST_TYPE(symbol.st_info));
    if (*name == '\0') continue;
    read_symbol(file, name, symbol, function);
    if (std::strcmp(name, "heddle_module") == 0) file.of_another_version = is_of_another_version(elf, symbol);
  }
}

bool is_note_of_go(const char* section) { return section != nullptr && std::strcmp(section, ".note.go.buildid") == 0; }

void read_sections(ElfFile& file, Elf* elf, const std::string& function) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr; section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name != nullptr && (std::strcmp(name, ".debug_info") == 0 || std::strcmp(name, ".gnu_debuglink") == 0))
      file.has_debug_information = true;
    if (is_note_of_go(name)) file.go_runtime = true;
    if (name != nullptr) read_debug_link(file, name, section);
    if (name != nullptr && std::strcmp(name, ".rodata") == 0) read_constants(file, section);
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

bool is_linked_by_go(const std::string& path) {
  elf_version(EV_CURRENT);
  const Descriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ, nullptr), elf_end);
  std::size_t names = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getshdrstrndx(elf.get(), &names) != 0) return false;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr && is_note_of_go(elf_strptr(elf.get(), names, header.sh_name)))
      return true;
  }
  return false;
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

// See yields.h.
#include "runtime/yields.h"

#include <link.h>
#include <string.h>

#include "model/spinning.h"
#include "protocol/time_slice.h"
#include "runtime/loaded_files.h"
#include "runtime/modules.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uint8_t kPatience = 4;  // as often libstdc++ yields
constexpr unsigned kMostFiles = 16;

struct Code {
  std::uintptr_t begin, end;
};
HEDDLE_PERMANENT Code files[kMostFiles] = {};
HEDDLE_PERMANENT unsigned file_count = 0;

// What a file asks of others: the symbols of its relocations.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  struct Part {
    const ElfW(Rela) * entries;
    std::size_t bytes;
  } parts[2] = {};
};

Imports imports_of(const dl_phdr_info* info) {
  Imports imports;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const ElfW(Addr) value = entry->d_un.d_ptr;  // the loader has made an address of it
      if (entry->d_tag == DT_SYMTAB) imports.symbols = reinterpret_cast<const ElfW(Sym)*>(value);
      if (entry->d_tag == DT_STRTAB) imports.names = reinterpret_cast<const char*>(value);
      if (entry->d_tag == DT_JMPREL) imports.parts[0].entries = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_PLTRELSZ) imports.parts[0].bytes = value;
      if (entry->d_tag == DT_RELA) imports.parts[1].entries = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_RELASZ) imports.parts[1].bytes = value;
    }
  }
  return imports;
}

bool asks_for(const Imports& imports, const char* name) {
  if (imports.symbols == nullptr || imports.names == nullptr) return false;
  for (const Imports::Part& part : imports.parts)
    for (std::size_t i = 0; part.entries != nullptr && i < part.bytes / sizeof *part.entries; ++i)
      if (const auto symbol = ELF64_R_SYM(part.entries[i].r_info);
          symbol != 0 && strcmp(imports.names + imports.symbols[symbol].st_name, name) == 0)
        return true;
  return false;
}

int add_file(dl_phdr_info* info, std::size_t, void*) {
  if (is_of_the_system(info->dlpi_name)) return 0;
  const Imports imports = imports_of(info);
  if (!asks_for(imports, "sched_yield") || !asks_for(imports, "syscall")) return 0;
  for (int i = 0; i < info->dlpi_phnum && file_count < kMostFiles; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    files[file_count++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

bool may_sleep_soon(Site site) {
  for (unsigned i = 0; i < file_count; ++i)
    if (site >= files[i].begin && site < files[i].end) return true;
  return false;
}

}  // namespace

void find_sleeping_loops() { for_each_loaded_file(add_file, nullptr); }

void give_way(Site site) {
  const model::World& world = *runtime.world;
  TaskData& data = current_data();
  std::int32_t kind = 0;
  // Who reads memory by operations has patience by what it reads (model/spinning.h).
  if (may_sleep_soon(site) && world.task(runtime.current).reads == nullptr) {
    if (model::others_ran_since(world, runtime.current, data.last_yield)) data.yields_alone = 0;
    const bool in_a_row = data.yields_alone != 0 && data.last_yield == world.steps();
    if (data.yields_alone < kPatience) {
      ++data.yields_alone;
      if (in_a_row) return;
      kind = kPatientYield;
    }
  }
  model::Operation& draft = draft_operation();
  draft.kind = OperationKind::Yield;
  draft.object = kNoObject;
  draft.site = site;
  draft.argument = static_cast<std::uint64_t>(kind);
  perform_draft();
  current_data().last_yield = world.steps();
}

}  // namespace heddle::runtime

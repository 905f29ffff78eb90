// See imports.h.
#include "runtime/state/imports.h"

#include <string.h>

#include "protocol/known_libraries.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/modules.h"

namespace heddle::runtime {

Imports::Imports(const dl_phdr_info& file) {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    if (file.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(file.dlpi_addr + file.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const ElfW(Addr) value = entry->d_un.d_ptr;  // the loader has made an address of it
      if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(value);
      if (entry->d_tag == DT_STRTAB) names_ = reinterpret_cast<const char*>(value);
      if (entry->d_tag == DT_JMPREL) parts_[0].entries = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_PLTRELSZ) parts_[0].bytes = value;
      if (entry->d_tag == DT_RELA) parts_[1].entries = reinterpret_cast<const ElfW(Rela)*>(value);
      if (entry->d_tag == DT_RELASZ) parts_[1].bytes = value;
    }
  }
}

bool Imports::has(const char* name) const {
  if (symbols_ == nullptr || names_ == nullptr) return false;
  for (const Part& part : parts_)
    for (std::size_t i = 0; part.entries != nullptr && i < part.bytes / sizeof *part.entries; ++i)
      if (const auto symbol = ELF64_R_SYM(part.entries[i].r_info);
          symbol != 0 && strcmp(names_ + symbols_[symbol].st_name, name) == 0)
        return true;
  return false;
}

bool any_thread_unwinds() {
  return for_each_loaded_file(
             [](dl_phdr_info* info, std::size_t, void*) {
               if (is_of_the_system(info->dlpi_name)) return 0;
               const Imports imports(*info);
               return imports.has("pthread_exit") || imports.has("pthread_cancel") || imports.has("thrd_exit") ? 1 : 0;
             },
             nullptr) != 0;
}

}  // namespace heddle::runtime

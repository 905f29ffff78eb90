// See loaded_files.h.
#include "runtime/loaded_files.h"

#include <dlfcn.h>
#include <string.h>

#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

// glibc 2.35 and later; it takes no lock.
#ifdef DLFO_STRUCT_HAS_EH_DBASE
bool describe(const link_map& map, dl_phdr_info& info) {
  dl_find_object found{};
  if (_dl_find_object(map.l_ld, &found) != 0 || found.dlfo_link_map != &map) return false;
  const auto* const header = static_cast<const ElfW(Ehdr)*>(found.dlfo_map_start);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
  info.dlpi_addr = map.l_addr;
  info.dlpi_name = map.l_name;
  info.dlpi_phdr =
      reinterpret_cast<const ElfW(Phdr)*>(static_cast<const char*>(found.dlfo_map_start) + header->e_phoff);
  info.dlpi_phnum = header->e_phnum;
  return true;
}

int walk(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  const auto* list = reinterpret_cast<const r_debug_extended*>(&_r_debug);
  for (; list != nullptr; list = list->base.r_version > 1 ? list->r_next : nullptr)
    for (const link_map* map = list->base.r_map; map != nullptr; map = map->l_next) {
      dl_phdr_info info{};
      if (!describe(*map, info)) continue;
      if (const int result = visit(&info, sizeof info, argument); result != 0) return result;
    }
  return 0;
}
#else
int walk(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) { return dl_iterate_phdr(visit, argument); }
#endif

}  // namespace

int for_each_loaded_file(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  // Elsewhere there are threads that nobody schedules, and the list may change under our hands.
  return runtime.mode == Mode::Branching ? walk(visit, argument) : dl_iterate_phdr(visit, argument);
}

}  // namespace heddle::runtime

// See loaded_files.h.
#include "runtime/state/loaded_files.h"

#include <dlfcn.h>
#include <string.h>

#include "protocol/page.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

// glibc 2.35 and later; it takes no lock.
#ifdef DLFO_STRUCT_HAS_EH_DBASE
constexpr std::size_t kPage = kPageBytes;

// Where a file's program headers lie.
struct Headers {
  const ElfW(Dyn) * dynamic;  // by this the file is known again
  const ElfW(Phdr) * first;
  ElfW(Half) count;
};
// Of the files that have them elsewhere than behind their beginning, as what rewrites them leaves it (patchelf, BOLT).
constexpr unsigned kMaxMoved = 16;
struct PermanentHeaders {
  Headers moved[kMaxMoved] = {};
  unsigned count = 0;
};
HEDDLE_PERMANENT constinit PermanentHeaders permanent_headers{};

std::uintptr_t begin_of(const dl_phdr_info& info) {
  std::uintptr_t begin = UINTPTR_MAX;
  for (int i = 0; i < info.dlpi_phnum; ++i)
    if (info.dlpi_phdr[i].p_type == PT_LOAD && info.dlpi_phdr[i].p_vaddr < begin) begin = info.dlpi_phdr[i].p_vaddr;
  return (info.dlpi_addr + begin) & ~(kPage - 1);
}

int note_if_moved(dl_phdr_info* info, std::size_t, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->dlpi_phdr), begin = begin_of(*info);
  const bool is_usual = at >= begin && at + info->dlpi_phnum * sizeof(ElfW(Phdr)) <= begin + kPage;
  for (int i = 0; !is_usual && i < info->dlpi_phnum && permanent_headers.count < kMaxMoved; ++i)
    if (const ElfW(Phdr)& one = info->dlpi_phdr[i]; one.p_type == PT_DYNAMIC)
      permanent_headers.moved[permanent_headers.count++] = {
          reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + one.p_vaddr), info->dlpi_phdr, info->dlpi_phnum};
  return 0;
}

// They are in memory for certain only in the page in which the file begins.
bool find_headers(const link_map& map, const dl_find_object& found, Headers& headers) {
  const void* const begin = found.dlfo_map_start;
  for (unsigned i = 0; i < permanent_headers.count; ++i)
    if (permanent_headers.moved[i].dynamic == map.l_ld && permanent_headers.moved[i].first >= begin &&
        permanent_headers.moved[i].first < found.dlfo_map_end)
      return headers = permanent_headers.moved[i], true;
  const auto* const file = static_cast<const ElfW(Ehdr)*>(begin);
  if (memcmp(file->e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (file->e_phoff > kPage || file->e_phnum * sizeof(ElfW(Phdr)) > kPage - file->e_phoff) return false;
  const char* const first = static_cast<const char*>(begin) + file->e_phoff;
  headers = Headers{map.l_ld, reinterpret_cast<const ElfW(Phdr)*>(first), file->e_phnum};
  return true;
}

bool describe(const link_map& map, dl_phdr_info& info) {
  dl_find_object found{};
  Headers headers{};
  if (_dl_find_object(map.l_ld, &found) != 0 || found.dlfo_link_map != &map) return false;
  if (!find_headers(map, found, headers)) return false;
  info.dlpi_addr = map.l_addr;
  info.dlpi_name = map.l_name;
  info.dlpi_phdr = headers.first;
  info.dlpi_phnum = headers.count;
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
int note_if_moved(dl_phdr_info*, std::size_t, void*) { return 1; }

int walk(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) { return dl_iterate_phdr(visit, argument); }
#endif

}  // namespace

void note_loaded_files() { dl_iterate_phdr(note_if_moved, nullptr); }

int for_each_loaded_file(int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  // Elsewhere there are threads that nobody schedules, and the list may change under our hands.
  return runtime.mode == Mode::Branching ? walk(visit, argument) : dl_iterate_phdr(visit, argument);
}

}  // namespace heddle::runtime

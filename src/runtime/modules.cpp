// See modules.h.
#include "runtime/modules.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "runtime/instrument/modules.h"
#include "runtime/os/system_call.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

void set_path(Module& module, const char* path) {
  if (path[0] != '\0') {
    strncpy(module.path, path, kPathCapacity - 1);
    return;
  }
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                                      reinterpret_cast<long>(module.path), kPathCapacity - 1);
  module.path[length > 0 ? length : 0] = '\0';
}

bool known(const Modules& table, const Module& module) {
  for (std::uint32_t i = 0; i < table.count.load(std::memory_order_relaxed); ++i)
    if (table.modules[i].base == module.base && table.modules[i].begin == module.begin) return true;
  return false;
}

int visit(dl_phdr_info* info, std::size_t, void*) {
  Modules& table = runtime.shared->modules;
  const std::uint32_t count = table.count.load(std::memory_order_relaxed);
  if (count == kMaxModules) return 1;
  Module module;
  module.base = info->dlpi_addr;
  module.begin = UINT64_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + segment.p_memsz > module.end) module.end = begin + segment.p_memsz;
  }
  if (module.end == 0 || known(table, module)) return 0;
  set_path(module, info->dlpi_name);
  Module& entry = table.modules[count];
  entry.base = module.base;
  entry.begin = module.begin;
  entry.end = module.end;
  memcpy(entry.path, module.path, sizeof entry.path);
  table.count.store(count + 1, std::memory_order_release);
  return 0;
}

// Those that have given themselves to the runtime.
void mark_instrumented() {
  Modules& table = runtime.shared->modules;
  for (const auto* module = first_instrumented_module(); module != nullptr; module = module->next) {
    const auto code = reinterpret_cast<std::uint64_t>(module->code);
    for (std::uint32_t i = 0; i < table.count.load(std::memory_order_relaxed); ++i) {
      Module& entry = table.modules[i];
      if (code >= entry.begin && code < entry.end) entry.instrumented.store(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace

bool is_of_the_system(const char* path) {
  const auto begins_with = [path](const char* folder) { return strncmp(path, folder, strlen(folder)) == 0; };
  return begins_with("/lib/") || begins_with("/lib64/") || begins_with("/usr/lib/") || begins_with("/usr/lib64/") ||
         begins_with("linux-vdso");
}

void publish_modules() {
  dl_iterate_phdr(visit, nullptr);
  mark_instrumented();
}

}  // namespace heddle::runtime

// See modules.h.
#include "runtime/state/modules.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>

#include <new>

#include "protocol/scripts.h"
#include "runtime/os/system_call.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

constinit ExecutionModules execution_modules{};

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

struct Extent {
  std::uint64_t base, begin, end;
};

// As the how-manieth of the table, from 1; 0: not yet. Another library may come to lie where one was unloaded.
std::uint32_t number_of(const Modules& table, const Extent& module, const char* path) {
  for (std::uint32_t i = table.count.load(std::memory_order_relaxed); i > 0; --i) {
    const Module& entry = table.modules[i - 1];
    if (entry.base != module.base || entry.begin != module.begin || entry.end != module.end) continue;
    if (path[0] == '\0' || strncmp(entry.path, path, kPathCapacity - 1) == 0) return i;
  }
  return 0;
}

Extent extent_of(const dl_phdr_info& info) {
  Extent module{info.dlpi_addr, UINT64_MAX, 0};
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uint64_t begin = info.dlpi_addr + segment.p_vaddr;
    if (begin < module.begin) module.begin = begin;
    if (begin + segment.p_memsz > module.end) module.end = begin + segment.p_memsz;
  }
  return module;
}

// False: there is no room.
bool append(const Extent& module, const char* path) {
  Modules& table = runtime.shared->modules;
  const std::uint32_t count = table.count.load(std::memory_order_relaxed);
  if (count == kMaxModules) return false;
  Module& entry = *::new (&table.modules[count]) Module;
  entry.base = module.base;
  entry.begin = module.begin;
  entry.end = module.end;
  set_path(entry, path);
  table.count.store(count + 1, std::memory_order_release);
  return true;
}

int visit(dl_phdr_info* info, std::size_t, void*) {
  const Extent module = extent_of(*info);
  if (module.end == 0 || number_of(runtime.shared->modules, module, info->dlpi_name) != 0) return 0;
  return append(module, info->dlpi_name) ? 0 : 1;
}

// Another script has that base.
bool is_taken(const Modules& table, Site base) {
  for (std::uint32_t i = table.count.load(std::memory_order_relaxed); i > 0; --i)
    if (table.modules[i - 1].base == base) return true;
  return false;
}

struct Wanted {
  Site site;
  std::uint32_t number;
};

int search_for(dl_phdr_info* info, std::size_t, void* wanted_) {
  auto& wanted = *static_cast<Wanted*>(wanted_);
  const Extent module = extent_of(*info);
  if (wanted.site < module.begin || wanted.site >= module.end) return 0;
  wanted.number = number_of(runtime.shared->modules, module, info->dlpi_name);
  return 1;
}

// Those that have given themselves to the runtime.
void mark_instrumented() {
  Modules& table = runtime.shared->modules;
  for (const auto* module = execution_modules.first_instrumented; module != nullptr; module = module->next) {
    const auto code = reinterpret_cast<std::uint64_t>(module->code);
    for (std::uint32_t i = 0; i < table.count.load(std::memory_order_relaxed); ++i) {
      Module& entry = table.modules[i];
      if (code >= entry.begin && code < entry.end) entry.instrumented.store(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace

void publish_modules() {
  for_each_loaded_file(visit, nullptr);
  mark_instrumented();
}

void publish_modules_at_start() {
  publish_modules();
  Modules& table = runtime.shared->modules;
  table.at_start.store(table.count.load(std::memory_order_relaxed), std::memory_order_release);
}

Site publish_script(const char* path) {
  constexpr Site kBytes = Site{1} << kScriptShift;
  for (Site base = script_base(path); base < kEndOfScripts; base += kBytes) {
    const Extent script{base, base, base + kBytes};
    if (number_of(runtime.shared->modules, script, path) != 0) return base;
    if (!is_taken(runtime.shared->modules, base)) return append(script, path) ? base : 0;
  }
  return 0;
}

std::uint32_t module_number_of(Site site) {
  const Modules& table = runtime.shared->modules;
  Wanted wanted{site, 0};
  for (std::uint32_t i = table.count.load(std::memory_order_relaxed); i > 0; --i) {
    if (site < table.modules[i - 1].begin || site >= table.modules[i - 1].end) continue;
    if (wanted.number != 0) {  // one of them is no longer there
      wanted.number = 0;
      for_each_loaded_file(search_for, &wanted);
      break;
    }
    wanted.number = i;
  }
  return wanted.number;
}

}  // namespace heddle::runtime

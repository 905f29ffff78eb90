// See program_end.h.
#include "runtime/control/program_end.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include <algorithm>
#include <iterator>

#include "instrument/table.h"
#include "runtime/control/isolation.h"
#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/streams.h"

namespace heddle::runtime {
namespace {

using Function = void (*)();

constexpr const char* kPlainLibraries[] = {"libc.so.6",      "libm.so.6",       "libgcc_s.so.1",
                                           "libstdc++.so.6", "libdl.so.2",      "libpthread.so.0",
                                           "librt.so.1",     "linux-vdso.so.1", "ld-linux-x86-64.so.2"};

struct PermanentProgramEnd {
  Function loader_end = nullptr;
  const r_debug* loaded = nullptr;  // the loader's list of what is loaded
  // What was loaded before main(): nothing but plain libraries. Whatever comes later stands at the end of the list.
  bool is_plain = false;
  unsigned loaded_count = 0;
  const link_map* loaded_last = nullptr;
  // The program's own destructors: an array, and one more.
  const Function* fini_array = nullptr;
  std::size_t fini_count = 0;
  Function fini = nullptr;
  bool has_destructors = true;  // of the program's own, beside what gcc and glibc put there
};
HEDDLE_PERMANENT constinit PermanentProgramEnd permanent_program_end{};

struct ExecutionProgramEnd {
  bool has_handlers = false;       // of exit(), besides those of plain libraries
  bool destructors_begun = false;  // the program's own
  bool skips_finalizing = false;   // the program has no handlers that __cxa_finalize() could run
  bool has_local_objects = false;  // thread_local ones of main()'s, which exit() destroys
};
constinit ExecutionProgramEnd execution_program_end{};

// Of the program itself.
const ElfW(Dyn) * dynamic_section() {
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const unsigned long count = getauxval(AT_PHNUM);
  const ElfW(Phdr)* dynamic = nullptr;
  std::uintptr_t base = 0;
  bool is_known = false;  // where it was loaded
  for (unsigned long i = 0; headers != nullptr && i < count; ++i) {
    if (headers[i].p_type == PT_PHDR) {
      base = reinterpret_cast<std::uintptr_t>(headers) - headers[i].p_vaddr;
      is_known = true;
    }
    if (headers[i].p_type == PT_DYNAMIC) dynamic = &headers[i];
  }
  return is_known && dynamic != nullptr ? reinterpret_cast<const ElfW(Dyn)*>(base + dynamic->p_vaddr) : nullptr;
}

const ElfW(Dyn) * find(const ElfW(Dyn) * entry, ElfW(Sxword) tag) {
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == tag) return entry;
  return nullptr;
}

bool is_plain_name(const char* path) {
  const char* const slash = strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  const auto is_name = [name](const char* plain) { return strcmp(name, plain) == 0; };
  return std::any_of(std::begin(kPlainLibraries), std::end(kPlainLibraries), is_name);
}

bool is_plain_library(const link_map& library) {
  if (library.l_ld == _DYNAMIC || *library.l_name == '\0') return true;  // this one, and the kernel's
  return is_plain_name(library.l_name);
}

// A library that contains an address: the C or C++ library, for instance?
int find_owner(dl_phdr_info* info, std::size_t, void* argument) {
  auto& address = *static_cast<std::uintptr_t*>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && begin <= address && address < begin + segment.p_memsz)
      return is_plain_name(info->dlpi_name) ? 1 : -1;
  }
  return 0;
}

bool is_of_plain_library(const void* handle) {
  auto address = reinterpret_cast<std::uintptr_t>(handle);
  return for_each_loaded_file(find_owner, &address) == 1;
}

// In its first version the list is all there is: no other namespaces (dlmopen).
bool is_only_list() {
  return permanent_program_end.loaded != nullptr && permanent_program_end.loaded->r_version == 1 &&
         permanent_program_end.loaded->r_state == r_debug::RT_CONSISTENT;
}

// As the loader finds them.
void find_destructors(const link_map& program) {
  const ElfW(Dyn)* const array = find(program.l_ld, DT_FINI_ARRAY);
  const ElfW(Dyn)* const size = find(program.l_ld, DT_FINI_ARRAYSZ);
  if (array != nullptr && size != nullptr) {
    permanent_program_end.fini_array = reinterpret_cast<const Function*>(program.l_addr + array->d_un.d_ptr);
    permanent_program_end.fini_count = size->d_un.d_val / sizeof(Function);
  }
  if (const ElfW(Dyn)* const last = find(program.l_ld, DT_FINI); last != nullptr)
    permanent_program_end.fini = reinterpret_cast<Function>(program.l_addr + last->d_un.d_ptr);
}

// What crti.o and crtn.o make of _fini: it returns.
bool does_nothing(Function fini) {
  constexpr unsigned char kCode[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  constexpr std::size_t kLandingPad = 4;  // endbr64, not everywhere
  const auto* const code = reinterpret_cast<const void*>(fini);
  return memcmp(code, kCode + kLandingPad, sizeof kCode - kLandingPad) == 0 || memcmp(code, kCode, sizeof kCode) == 0;
}

// One of the array is crtbegin.o's, which comes with crti.o.
bool has_destructors_of_its_own() {
  return permanent_program_end.fini == nullptr || permanent_program_end.fini_count > 1 ||
         !does_nothing(permanent_program_end.fini);
}

void scan_libraries() {
  const ElfW(Dyn)* const debug = find(dynamic_section(), DT_DEBUG);
  permanent_program_end.loaded = debug != nullptr ? reinterpret_cast<const r_debug*>(debug->d_un.d_ptr) : nullptr;
  if (!is_only_list() || permanent_program_end.loaded->r_map == nullptr) return;
  permanent_program_end.is_plain = true;
  find_destructors(*permanent_program_end.loaded->r_map);
  permanent_program_end.has_destructors = has_destructors_of_its_own();
  for (const link_map* map = permanent_program_end.loaded->r_map; map != nullptr; map = map->l_next) {
    if (map != permanent_program_end.loaded->r_map)
      permanent_program_end.is_plain = permanent_program_end.is_plain && is_plain_library(*map);
    ++permanent_program_end.loaded_count;
    permanent_program_end.loaded_last = map;
  }
}

bool nothing_was_loaded() {
  unsigned count = 0;
  const link_map* last = nullptr;
  for (const link_map* map = permanent_program_end.loaded->r_map; map != nullptr; map = map->l_next) {
    ++count;
    last = map;
  }
  return count == permanent_program_end.loaded_count && last == permanent_program_end.loaded_last && is_only_list();
}

// Nothing but plain libraries: for call stacks we load libgcc_s.
bool only_plain_was_loaded() {
  unsigned count = 0;
  for (const link_map* map = permanent_program_end.loaded->r_map; map != nullptr; map = map->l_next) {
    const bool in_place = ++count != permanent_program_end.loaded_count || map == permanent_program_end.loaded_last;
    if (!in_place || (count > permanent_program_end.loaded_count && !is_plain_library(*map))) return false;
  }
  return count >= permanent_program_end.loaded_count && is_only_list();
}

// As the loader does it.
void run_destructors_of_program() {
  for (std::size_t i = permanent_program_end.fini_count; i-- > 0;) permanent_program_end.fini_array[i]();
  if (permanent_program_end.fini != nullptr) permanent_program_end.fini();
}

// Others that are alive may hold the loader's lock, or wait for it; then it is the loader's business.
void end_program() {
  if (execution_program_end.destructors_begun) return;
  if (permanent_program_end.is_plain && runtime.mode == Mode::Branching &&
      runtime.world->population().live_tasks() == 1 && nothing_was_loaded())
    run_destructors_of_program();
  else
    permanent_program_end.loader_end();
}

// What was done before a handler was registered comes before it is run: glibc takes a lock for both. To the detector of
// races that lock is `has_handlers`. `library`: whose handler it is. Once executions have begun nobody looks: then they
// all count as the program's. What instrumented code registers by itself is our own.
void note_handler(const void* library, const void* handler) {
  if (handler == reinterpret_cast<const void*>(&heddle_instrument_detach)) return;
  if (runtime.mode == Mode::Uninitialized) initialize();
  if (!execution_program_end.has_handlers)
    execution_program_end.has_handlers = runtime.mode == Mode::Branching || !is_of_plain_library(library);
  races_release(&execution_program_end.has_handlers);
}

void note_local_object() {
  if (runtime.current == 0) execution_program_end.has_local_objects = true;
}

bool nothing_for_libc() {
  return runtime.mode == Mode::Branching && on_snapshot() && permanent_program_end.is_plain &&
         !execution_program_end.has_handlers && !execution_program_end.destructors_begun &&
         real::library_makes_streams == nullptr && real::call_tls_destructors != nullptr &&
         runtime.world->population().live_tasks() == 1 && !is_foreign_thread() && nothing_was_loaded();
}

}  // namespace

void end_program_at_once(int status) {
  if (!nothing_for_libc()) return;
  real::call_tls_destructors();
  if (execution_program_end.has_handlers) return;
  execution_program_end.destructors_begun = execution_program_end.skips_finalizing = true;
  run_destructors_of_program();
  execution_program_end.skips_finalizing = false;
  if (!execution_program_end.has_handlers) finish_execution(status, Ending::Exit);  // they may have registered some
}

bool end_runs_nothing() {
  return permanent_program_end.is_plain && !permanent_program_end.has_destructors &&
         !execution_program_end.has_handlers && !execution_program_end.has_local_objects &&
         real::library_makes_streams == nullptr && only_plain_was_loaded() && !program_has_streams_of_its_own();
}

Function watch_program_end(Function wanted) {
  if (wanted == nullptr) return nullptr;
  permanent_program_end.loader_end = wanted;
  scan_libraries();
  return end_program;
}

}  // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_EXPORT int __cxa_atexit(void (*handler)(void*), void* argument, void* library) {
  note_handler(library, reinterpret_cast<const void*>(handler));
  return real::cxa_atexit(handler, argument, library);
}

HEDDLE_EXPORT int on_exit(void (*handler)(int, void*), void* argument) {
  note_handler(nullptr, reinterpret_cast<const void*>(handler));
  return real::on_exit(handler, argument);
}

HEDDLE_EXPORT int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library) {
  if (real::cxa_thread_atexit == nullptr) initialize();
  note_local_object();
  return real::cxa_thread_atexit(destructor, object, library);
}

HEDDLE_EXPORT void __cxa_finalize(void* library) {
  if (execution_program_end.skips_finalizing) return;
  if (real::cxa_finalize == nullptr) initialize();
  real::cxa_finalize(library);
}

HEDDLE_EXPORT void exit(int status) {
  if (controlled()) {
    note_exit(HEDDLE_CALLER);
    races_acquire(&execution_program_end.has_handlers);
    end_program_at_once(status);
  }
  real::exit(status);
  __builtin_unreachable();
}

// See callbacks.h.
#include "runtime/detect/callbacks.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "protocol/known_libraries.h"
#include "runtime/detect/aside.h"
#include "runtime/detect/called_function.h"
#include "runtime/detect/modules.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

extern "C" void* __libc_stack_end;  // the loader's

namespace heddle::runtime {
namespace {

// Destructors call one another. What is behind so many frames is not looked at: then there may be such a library.
constexpr unsigned kDepth = 256;

// Where code of such libraries lies. Unknown where the program may have loaded files since then, or there are too many.
struct Range {
  std::uintptr_t begin, end;
};
constexpr unsigned kMostRanges = 16;
struct ExecutionRanges {
  Range all[kMostRanges];
  unsigned count = 0;
  bool known = true;
};
constinit ExecutionRanges execution_ranges{};

enum class Origin : std::uint8_t { Program, Library, Known };

const char* name_of(const char* path) {
  const char* const slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// `code` lies in this file; the main program has no name. Its own uninstrumented code is taken for instrumented: it is
// beneath all that the main thread does.
Origin origin_of(const char* path, const void* code) {
  if (path[0] == '\0' || is_instrumented(code)) return Origin::Program;
  return is_known_library(name_of(path)) ? Origin::Known : Origin::Library;
}

Origin origin_of(Site site) {
  dl_find_object file;
  auto* const code = reinterpret_cast<void*>(site);
  if (_dl_find_object(code, &file) != 0 || file.dlfo_link_map == nullptr) return Origin::Known;
  return origin_of(file.dlfo_link_map->l_name, code);
}

int scan_file(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 ||
        origin_of(info->dlpi_name, reinterpret_cast<const void*>(begin)) != Origin::Library)
      continue;
    if (execution_ranges.count == kMostRanges) execution_ranges.known = false;
    if (!execution_ranges.known) return 1;
    execution_ranges.all[execution_ranges.count++] = {begin, begin + segment.p_memsz};
  }
  return 0;
}

bool in_range(std::uintptr_t address) {
  for (unsigned i = 0; i < execution_ranges.count; ++i)
    if (address >= execution_ranges.all[i].begin && address < execution_ranges.all[i].end) return true;
  return false;
}

// Where the running task's stack ends, or what of it the program uses; null: not known.
const void* top_of_stack() {
  const TaskData& task = current_data();
  if (task.frames_top != nullptr) return task.frames_top;
  return runtime.current == 0 ? __libc_stack_end : reinterpret_cast<const void*>(task.thread_pointer);
}

// Does no word of the running task's stack say that such a library has called? Far cheaper than a walk from frame to
// frame.
bool is_surely_none() {
  constexpr std::uintptr_t kMaxBytes = 16'384;
  if (execution_ranges.known && execution_ranges.count == 0) return true;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto top = reinterpret_cast<std::uintptr_t>(top_of_stack());
  if (!execution_ranges.known || top < here || top - here > kMaxBytes) return false;
  for (std::uintptr_t at = here; at < top; at += sizeof(std::uintptr_t))
    if (in_range(*reinterpret_cast<const std::uintptr_t*>(at))) return false;
  return true;
}

}  // namespace

void prepare_callbacks() {
  prepare_stacks(true);
  execution_ranges.count = 0;
  execution_ranges.known = true;
  for_each_loaded_file(scan_file, nullptr);
}

void expect_more_files() { execution_ranges.known = false; }

bool is_instrumented_or_cpp(Site site) {
  dl_find_object file;
  auto* const code = reinterpret_cast<void*>(site);
  if (is_instrumented(code)) return true;
  if (_dl_find_object(code, &file) != 0 || file.dlfo_link_map == nullptr) return false;
  const char* const name = name_of(file.dlfo_link_map->l_name);
  return strncmp(name, "libstdc++.so", 12) == 0 || strncmp(name, "libc++.so", 9) == 0;
}

namespace {

bool finds_library() {
  Site stack[kDepth];
  const unsigned depth = capture_program_stack(stack, kDepth);
  bool behind_library = false;
  for (unsigned i = 0; i < depth; ++i) {
    const Origin origin = origin_of(stack[i] - 1);
    if (origin == Origin::Program && behind_library) return true;
    behind_library = behind_library || origin == Origin::Library;
  }
  if (depth == kDepth) return true;
  // A thread of the library's own. What is beneath everything in the main thread only runs the tests.
  return behind_library && runtime.current != 0;
}

}  // namespace

bool in_callback_of_library() {
  if (is_surely_none()) return false;
  bool found = false;
  const Aside find = [](std::uint64_t result, std::uint64_t, std::uint64_t, std::uint64_t) {
    *reinterpret_cast<bool*>(result) = finds_library();
  };
  heddle_call_aside(find, reinterpret_cast<std::uintptr_t>(&found), 0, 0, 0);
  return found;
}

bool calls_library(const void* caller) {
  const std::uintptr_t function = called_function(caller);
  return function != 0 && origin_of(function) == Origin::Library;
}

}  // namespace heddle::runtime

// Functions of libraries that synchronize in a way that Heddle does not see: library_calls.def. A call of one is a
// scheduling point on its object, and for the race detector it orders what threads do. Then the library's own function
// is called.
//
// All of them take at most six arguments, integers or pointers, and give one back: so one form fits all.
#include <dlfcn.h>
#include <link.h>

#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/library_function.h"
#include "runtime/os/system_call.h"
#include "runtime/schedule/points.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/stacks.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

// long heddle_call_library(LibraryFunction function, const long* arguments): what the function returns. The place to
// which it returns has a name: see caller_of_library().
__asm__(
    ".text\n"
    ".globl heddle_call_library\n.hidden heddle_call_library\n.type heddle_call_library,@function\n"
    ".globl heddle_behind_library\n.hidden heddle_behind_library\n"
    "heddle_call_library:\n"
    "  .cfi_startproc\n"
    "  sub $8, %rsp\n  .cfi_adjust_cfa_offset 8\n"
    "  mov %rdi, %rax\n  mov %rsi, %r10\n"
    "  mov (%r10), %rdi\n  mov 8(%r10), %rsi\n  mov 16(%r10), %rdx\n"
    "  mov 24(%r10), %rcx\n  mov 32(%r10), %r8\n  mov 40(%r10), %r9\n"
    "  call *%rax\n"
    "heddle_behind_library:\n"
    "  add $8, %rsp\n  .cfi_adjust_cfa_offset -8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_call_library, .-heddle_call_library\n");
extern "C" __attribute__((visibility("hidden"))) long heddle_call_library(long (*function)(long, long, long, long, long,
                                                                                           long),
                                                                          const long* arguments);

namespace heddle::runtime {
namespace {

using LibraryFunction = long (*)(long, long, long, long, long, long);

enum class Effect { Acquire, Release, Try, Both, Once, Point, Wait };
enum class Argument { First = 0, Third = 2, None = 6 };  // its index

struct Arguments {
  long values[6];
  const void* pointer(unsigned index) const { return reinterpret_cast<const void*>(values[index]); }
};

const char one_for_all = 0;  // the object of functions that have none

constexpr unsigned kMaxFiles = 256;
struct Files {
  const char* names[kMaxFiles];
  unsigned count;
};

int note_file(dl_phdr_info* info, std::size_t, void* files_) {
  auto& files = *static_cast<Files*>(files_);
  if (info->dlpi_name[0] != '\0') files.names[files.count++] = info->dlpi_name;
  return files.count == kMaxFiles ? 1 : 0;
}

// In a library that was loaded for its user only (RTLD_LOCAL): its calls come to us, but it does not come behind us.
void* find_in_any(const char* name, const void* own) {
  Files files{};
  for_each_loaded_file(note_file, &files);
  for (unsigned i = 0; i < files.count; ++i) {
    void* library = dlopen(files.names[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    void* found = dlsym(library, name);
    dlclose(library);  // it stays loaded: the one that calls us needs it
    if (found != nullptr && found != own) return found;
  }
  return nullptr;
}

void release_before(Effect effect, const void* object, const Arguments& arguments) {
  if (effect == Effect::Release || effect == Effect::Both) races_release(object);
  if (effect == Effect::Wait) races_release(arguments.pointer(1));
}

// Of a result that is a bool only the lowest byte is there.
bool succeeded(long result) { return static_cast<std::uint8_t>(result) != 0; }

void acquire_after(Effect effect, const void* object, const Arguments& arguments, long result) {
  if (effect == Effect::Acquire || effect == Effect::Both || (effect == Effect::Try && succeeded(result)))
    races_acquire(object);
  if (effect == Effect::Wait) {
    races_acquire(object);
    races_acquire(arguments.pointer(1));
  }
}

long call(LibraryFunction function, Effect effect, Argument argument, const Arguments& arguments, Site site) {
  const long* a = arguments.values;
  if (!controlled()) return function(a[0], a[1], a[2], a[3], a[4], a[5]);
  const void* object = argument != Argument::None ? arguments.pointer(static_cast<unsigned>(argument)) : &one_for_all;
  point_at_library_call(object, site);
  release_before(effect, object, arguments);
  Site unused = 0;  // of threads that Heddle does not schedule
  Site& called = is_foreign_thread() ? unused : current_data().library_call;
  const Site before = called;
  called = site;
  const void* const outer = effect == Effect::Once ? races_enter_once(object) : nullptr;
  const long result = heddle_call_library(function, a);
  if (effect == Effect::Once) races_leave_once(object, outer);
  called = before;
  acquire_after(effect, object, arguments, result);
  return result;
}

}  // namespace

void* library_function(const char* name, const void* own) {
  void* found = nullptr;
  {
    const InsideScope inside;
    found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) found = find_in_any(name, own);
  }
  if (found != nullptr) return found;
  os::complain("heddle: a library's function that Heddle takes part in was called, but no library has it: ");
  os::complain(name);
  os::complain("\n");
  real::abort();
  __builtin_unreachable();
}

Site caller_of_library() { return current_data().library_call; }

}  // namespace heddle::runtime

#define HEDDLE_LIBRARY_CALL(name, effect, argument)                                                                \
  static HEDDLE_PERMANENT LibraryFunction library_##name = nullptr;                                                \
  HEDDLE_EXPORT long name(long a, long b, long c, long d, long e, long f) {                                        \
    if (__builtin_expect(library_##name == nullptr, 0))                                                            \
      library_##name = reinterpret_cast<LibraryFunction>(library_function(#name, reinterpret_cast<void*>(&name))); \
    return call(library_##name, Effect::effect, Argument::argument, {{a, b, c, d, e, f}}, HEDDLE_CALLER);          \
  }
#define HEDDLE_LIBRARY_REGION(name, form)
#define HEDDLE_LIBRARY_SHARE(name)
#include "runtime/intercept/library_calls.def"
#undef HEDDLE_LIBRARY_SHARE
#undef HEDDLE_LIBRARY_REGION
#undef HEDDLE_LIBRARY_CALL

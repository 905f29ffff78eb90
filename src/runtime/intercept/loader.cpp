// dlsym(): who looks pthread_create() up finds ours. dlopen(): what it orders, and RTLD_DEEPBIND. With that flag a
// library takes libc's functions before those of preloaded libraries such as Heddle's. To prevent it would change what
// the library does, so a note names the call.
#include "runtime/intercept/loader.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/detect/callbacks.h"
#include "runtime/detect/loading_order.h"
#include "runtime/detect/races.h"
#include "runtime/intercept/intercept.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/race_watch.h"
#include "runtime/state/stacks.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr std::size_t kCapacity = 400;
struct PermanentLoaderNote {
  char text[kCapacity];  // from before executions begin
  std::size_t size = 0;
};
HEDDLE_PERMANENT constinit PermanentLoaderNote permanent_loader_note{};

__attribute__((noinline)) void name_deep_binding(const char* file, Site site) {
  char text[kCapacity];
  const int size =
      snprintf(text, sizeof text,
               "dlopen{at %#lx} loaded %.150s with RTLD_DEEPBIND: the threads, locks and waits of that library "
               "go past Heddle, but for what comes to the kernel (docs/API.md#dlopen)",
               site, file);
  if (runtime.recording)
    return record_message(MessageKind::Note, runtime.current, text, static_cast<std::size_t>(size));
  if (permanent_loader_note.size != 0) return;  // one is enough to know where to look
  memcpy(permanent_loader_note.text, text, sizeof text);
  permanent_loader_note.size = static_cast<std::size_t>(size);
}

}  // namespace

void record_early_note() {
  if (permanent_loader_note.size != 0)
    record_message(MessageKind::Note, kNoTask, permanent_loader_note.text, permanent_loader_note.size);
}

}  // namespace heddle::runtime

extern "C" __attribute__((visibility("hidden"))) int heddle_pthread_create(pthread_t*, const pthread_attr_t*,
                                                                           void* (*)(void*), void*);

namespace {

// Not by strcmp(): a sanitizer that looks functions up at its start has one of its own, which does not work yet.
bool creates_threads(const char* name) {
  constexpr const char kName[] = "pthread_create";
  for (std::size_t i = 0; i < sizeof kName; ++i)
    if (name[i] != kName[i]) return false;
  return true;
}

// A library behind us that has a function of that name, as AddressSanitizer's, is called by ours, and calls libc's.
bool calls_libc() {
  Dl_info behind{}, libc{};
  const auto* const known = reinterpret_cast<const void*>(real::libc_start_main);
  return dladdr(reinterpret_cast<const void*>(real::pthread_create), &behind) != 0 && dladdr(known, &libc) != 0 &&
         behind.dli_fbase == libc.dli_fbase;
}

}  // namespace

// Those who look it up in the libraries behind them (RTLD_NEXT), or in libc itself, would find libc's: their threads
// would go past us. Whoever brings a function of that name keeps it.
HEDDLE_EXPORT void* dlsym(void* handle, const char* name) {
  if (real::dlsym == nullptr) real::find_dlsym();
  if (creates_threads(name) && real::pthread_create != nullptr && real::libc_start_main != nullptr && calls_libc() &&
      real::dlsym(handle, name) == reinterpret_cast<void*>(real::pthread_create))
    return reinterpret_cast<void*>(&heddle_pthread_create);  // `pthread_create` may be a sanitizer's
  return real::dlsym(handle, name);                          // a jump, as in dlopen()
}

// The loader looks at who called, so this must be a jump and not a call: nothing may come behind it.
HEDDLE_EXPORT void* dlopen(const char* file, int flags) {
  if (controlled() && (flags & RTLD_DEEPBIND) != 0 && file != nullptr) name_deep_binding(file, HEDDLE_CALLER);
  if (!runtime::runtime.inside && (flags & RTLD_NOLOAD) == 0) expect_more_files();
  if (detects_races() && !runtime::runtime.inside && !is_foreign_thread())
    begin_loading(static_cast<void* const*>(__builtin_dwarf_cfa()) - 1, HEDDLE_CALLER);
  return real::dlopen(file, flags);
}

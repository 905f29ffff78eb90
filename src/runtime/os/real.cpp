// See real.h.
#include "runtime/os/real.h"

#include <dlfcn.h>

#include "runtime/os/permanent.h"

namespace heddle::runtime::real {

#define HEDDLE_REAL(name, version) HEDDLE_PERMANENT decltype(&::name) name = nullptr;
#include "runtime/os/real.def"
#undef HEDDLE_REAL

HEDDLE_PERMANENT int (*libc_start_main)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(),
                                        void*) = nullptr;
HEDDLE_PERMANENT long (*syscall)(long, ...) = nullptr;
HEDDLE_PERMANENT void (*assert_fail)(const char*, const char*, unsigned, const char*) = nullptr;
HEDDLE_PERMANENT void (*call_tls_destructors)() = nullptr;
HEDDLE_PERMANENT int (*cxa_atexit)(void (*)(void*), void*, void*) = nullptr;
HEDDLE_PERMANENT int (*cxa_thread_atexit)(void (*)(void*), void*, void*) = nullptr;
HEDDLE_PERMANENT void (*cxa_finalize)(void*) = nullptr;
HEDDLE_PERMANENT void (*longjmp_chk)(__jmp_buf_tag*, int) = nullptr;
HEDDLE_PERMANENT void (*library_makes_streams)() = nullptr;
HEDDLE_PERMANENT int (*guard_acquire)(void*) = nullptr;
HEDDLE_PERMANENT void (*guard_release)(void*) = nullptr;
HEDDLE_PERMANENT void (*guard_abort)(void*) = nullptr;
HEDDLE_PERMANENT unsigned (*random_device_value)(void*) = nullptr;
HEDDLE_PERMANENT int (*old_ntp_gettime)(ntptimeval*) = nullptr;
HEDDLE_PERMANENT void* (*dlsym)(void* handle, const char* name) = nullptr;

namespace {

template <typename Function>
void find(Function& function, const char* name, const char* version = nullptr) {
  void* found = version != nullptr ? dlvsym(RTLD_NEXT, name, version) : real::dlsym(RTLD_NEXT, name);
  function = reinterpret_cast<Function>(found);
}

}  // namespace

void find_dlsym() { find(real::dlsym, "dlsym", "GLIBC_2.2.5"); }

void resolve_always_there() {
  find_dlsym();
#define HEDDLE_REAL(name, version) find(real::name, #name, version);
#include "runtime/os/real.def"
#undef HEDDLE_REAL
  find(libc_start_main, "__libc_start_main");
  find(syscall, "syscall");
  find(assert_fail, "__assert_fail");
  find(call_tls_destructors, "__call_tls_dtors", "GLIBC_PRIVATE");
  find(cxa_atexit, "__cxa_atexit");
  find(cxa_thread_atexit, "__cxa_thread_atexit_impl");
  find(cxa_finalize, "__cxa_finalize");
  find(longjmp_chk, "__longjmp_chk");
}

void resolve_perhaps_there() {
  find(library_makes_streams, "_ZSt21ios_base_library_initv");  // since gcc 13
  find(guard_acquire, "__cxa_guard_acquire");
  find(guard_release, "__cxa_guard_release");
  find(guard_abort, "__cxa_guard_abort");
  find(random_device_value, "_ZNSt13random_device9_M_getvalEv");
  find(old_ntp_gettime, "ntp_gettime");
}

}  // namespace heddle::runtime::real

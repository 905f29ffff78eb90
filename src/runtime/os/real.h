// The functions of libc behind those that we interpose. Resolved once, before the program runs.
//
// To add one: a line in real.def.
#pragma once

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <malloc.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

namespace heddle::runtime::real {

#define HEDDLE_REAL(name, version) extern decltype(&::name) name;
#include "runtime/os/real.def"
#undef HEDDLE_REAL

extern int (*libc_start_main)(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(),
                              void (*fini)(), void (*rtld_fini)(), void* stack_end);
extern long (*syscall)(long number, ...);
extern void (*assert_fail)(const char*, const char*, unsigned, const char*);
extern void (*call_tls_destructors)();  // glibc's own; runs the thread_local destructors of the present thread
extern int (*cxa_atexit)(void (*handler)(void*), void* argument, void* library);
extern int (*cxa_thread_atexit)(void (*destructor)(void*), void* object, void* library);
extern void (*cxa_finalize)(void* library);
extern void (*longjmp_chk)(__jmp_buf_tag* place, int value);
extern void (*library_makes_streams)();  // the C++ library's; null where each program flushes the streams by itself
extern int (*guard_acquire)(void*);      // the C++ library's; null in a C program
extern void (*guard_release)(void*);
extern void (*guard_abort)(void*);
extern unsigned (*random_device_value)(void*);  // likewise
extern int (*old_ntp_gettime)(ntptimeval*);

// Before the others, who are found by it. It may be asked for before all others, too.
extern void* (*dlsym)(void* handle, const char* name);
void find_dlsym();
void resolve_always_there();
// What a program may be without. Where dlsym() finds nothing it allocates a message: malloc() may be the program's, and
// take a mutex. So what is always there must be known first, and calls must go there.
void resolve_perhaps_there();

}  // namespace heddle::runtime::real

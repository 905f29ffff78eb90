// What is asked of the kernel about memory: locking it, and what becomes of it in a child.
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "check.h"

namespace {

constexpr size_t kPage = 4096;
char* pages;  // two, and nothing behind them

void map_pages() {
  pages = static_cast<char*>(mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  munmap(pages + 2 * kPage, kPage);
  pages[0] = 1;
  pages[kPage] = 2;
}

// Limits of memory: the hard limit is left as it is, so that they can be put back.
void check_limits() {
  constexpr __rlimit_resource resource = RLIMIT_AS;
  rlimit before{}, told{};
  ERRNO_OF("getrlimit", "what it is", 0, getrlimit(resource, &before));
  const rlimit lower = {std::min(before.rlim_max, rlim_t{1} << 40), before.rlim_max}, wrong = {2, 1};
  ERRNO_OF("setrlimit", "lower", 0, setrlimit(resource, &lower));
  ERRNO_OF("getrlimit", "after it was set", 0, getrlimit(resource, &told));
  HOLDS("getrlimit", "tells what was set", told.rlim_cur == lower.rlim_cur && told.rlim_max == before.rlim_max);
  ERRNO_OF("setrlimit", "more than the hard limit", EINVAL, setrlimit(resource, &wrong));
  ERRNO_OF("setrlimit", "by a raw system call", 0, syscall(SYS_setrlimit, resource, &lower));
  ERRNO_OF("prlimit", "nothing asked for", 0, prlimit(0, resource, nullptr, nullptr));
  ERRNO_OF("prlimit", "of this process by its number", 0, prlimit(getpid(), resource, &before, &told));
  HOLDS("prlimit", "tells what was there", told.rlim_cur == lower.rlim_cur);
  ERRNO_OF("prlimit", "more than the hard limit", EINVAL, prlimit(0, resource, &wrong, nullptr));
  rlimit64 same{};
  ERRNO_OF("getrlimit64", "what it is", 0, getrlimit64(resource, &same));
  ERRNO_OF("getrlimit64", "no such limit", EINVAL, getrlimit64(static_cast<__rlimit_resource>(99), &same));
  HOLDS("getrlimit64", "tells what prlimit has set", same.rlim_cur == before.rlim_cur);
  const rlimit64 too_much = {2, 1};
  ERRNO_OF("setrlimit64", "the same", 0, setrlimit64(resource, &same));
  ERRNO_OF("setrlimit64", "more than the hard limit", EINVAL, setrlimit64(resource, &too_much));
  HOLDS("setrlimit64", "leaves the other as it was", getrlimit(resource, &told) == 0 && told.rlim_cur == same.rlim_cur);
  ERRNO_OF("prlimit64", "the same", 0, prlimit64(0, resource, &same, &same));
  HOLDS("prlimit64", "tells what was there", same.rlim_cur == before.rlim_cur && same.rlim_max == before.rlim_max);
  ERRNO_OF("prlimit64", "by a raw system call", 0, syscall(SYS_prlimit64, 0, resource, nullptr, &told));
}

// How much can be locked depends on limits and rights: a page can be.
void check_locking() {
  ERRNO_OF("mlockall", "nothing asked for", EINVAL, mlockall(0));
  ERRNO_OF("mlockall", "no such flag", EINVAL, mlockall(MCL_CURRENT | 64));
  ERRNO_OF("mlockall", "when, but not what", EINVAL, mlockall(MCL_ONFAULT));
  ERRNO_OF("mlock", "a page", 0, mlock(pages, kPage));
  ERRNO_OF("mlock", "a byte within it", 0, mlock(pages + 5, 1));
  ERRNO_OF("mlock", "nothing", 0, mlock(pages, 0));
  ERRNO_OF("mlock", "what is not mapped", ENOMEM, mlock(pages + kPage, 2 * kPage));
  ERRNO_OF("mlock", "beyond the address space", EINVAL, mlock(pages, SIZE_MAX - kPage));
  ERRNO_OF("mlock2", "a page", 0, mlock2(pages, kPage, 0));
  ERRNO_OF("mlock2", "when it is touched", 0, mlock2(pages, kPage, MLOCK_ONFAULT));
  ERRNO_OF("mlock2", "no such flag", EINVAL, mlock2(pages, kPage, 64));
  ERRNO_OF("mlock2", "what is not mapped", ENOMEM, mlock2(pages + kPage, 2 * kPage, 0));
  ERRNO_OF("munlock", "a page", 0, munlock(pages, kPage));
  ERRNO_OF("munlock", "once more", 0, munlock(pages, kPage));
  ERRNO_OF("munlock", "what is not mapped", ENOMEM, munlock(pages + kPage, 2 * kPage));
  ERRNO_OF("munlock", "a byte of a page", 0, munlock(pages + kPage - 1, 1));
  ERRNO_OF("munlock", "nothing", 0, munlock(pages, 0));
  ERRNO_OF("munlock", "nothing, where nothing is mapped", 0, munlock(pages + 2 * kPage, 0));
  ERRNO_OF("munlock", "beyond the address space", EINVAL, munlock(pages, SIZE_MAX - kPage));
  ERRNO_OF("munlock", "by a raw system call", 0, syscall(SYS_munlock, pages, kPage));
  ERRNO_OF("munlock", "what is not mapped, by a raw system call", ENOMEM,
           syscall(SYS_munlock, pages + kPage, 2 * kPage));
  ERRNO_OF("munlockall", "whatever is locked", 0, munlockall());
  ERRNO_OF("munlockall", "once more", 0, munlockall());
  ERRNO_OF("munlockall", "by a raw system call", 0, syscall(SYS_munlockall));
}

// What a child that is forked now says.
bool in_child(bool (*holds)()) {
  const pid_t child = fork();
  if (child == 0) _exit(holds() ? 0 : 1);
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

void check_wiping() {
  ERRNO_OF("madvise", "a child is to find zeroes", 0, madvise(pages, kPage, MADV_WIPEONFORK));
  HOLDS("madvise", "a child finds zeroes", in_child([] { return pages[0] == 0 && pages[kPage] == 2; }));
  HOLDS("madvise", "the parent does not", pages[0] == 1);
  ERRNO_OF("madvise", "no zeroes any more", 0, madvise(pages, kPage, MADV_KEEPONFORK));
  HOLDS("madvise", "a child finds what there was", in_child([] { return pages[0] == 1; }));
}

void check_keeping() {
  ERRNO_OF("madvise", "a child is not to have it", 0, madvise(pages, 2 * kPage, MADV_DONTFORK));
  ERRNO_OF("madvise", "but half of it", 0, madvise(pages, kPage, MADV_DOFORK));
  HOLDS("madvise", "a child has that half",
        in_child([] { return pages[0] == 1 && madvise(pages + kPage, kPage, MADV_NORMAL) != 0 && errno == ENOMEM; }));
  HOLDS("madvise", "the parent has both", pages[0] == 1 && pages[kPage] == 2);
  ERRNO_OF("madvise", "the other half, too", 0, madvise(pages, 2 * kPage, MADV_DOFORK));
  HOLDS("madvise", "a child has all", in_child([] { return pages[0] == 1 && pages[kPage] == 2; }));
}

void check_advice() {
  void* const code = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(&check_advice) & ~(kPage - 1));
  ERRNO_OF("madvise", "zeroes, what is not mapped", ENOMEM, madvise(pages + kPage, 2 * kPage, MADV_WIPEONFORK));
  ERRNO_OF("madvise", "not in a child, within a page", EINVAL, madvise(pages + 1, kPage, MADV_DONTFORK));
  ERRNO_OF("madvise", "zeroes, a file", EINVAL, madvise(code, kPage, MADV_WIPEONFORK));
  ERRNO_OF("madvise", "not in a child, nothing", 0, madvise(pages, 0, MADV_DONTFORK));
  ERRNO_OF("madvise", "no such advice", EINVAL, madvise(pages, kPage, 12345));
  ERRNO_OF("madvise", "memory is not needed", 0, madvise(pages, kPage, MADV_DONTNEED));
  HOLDS("madvise", "it is gone", pages[0] == 0);
}

}  // namespace

int main() {
  begin_checks();
  map_pages();
  check_locking();
  check_limits();
  check_wiping();
  check_keeping();
  check_advice();
  return end_checks();
}

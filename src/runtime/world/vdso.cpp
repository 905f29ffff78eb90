// See vdso.h. Its functions are not called through a table, so their code has to be changed: the first bytes of each
// become a jump to ours. The page is then private to this process and its children.
#include "runtime/world/vdso.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/world/clock.h"
#include "runtime/world/system_time.h"

namespace heddle::runtime {
namespace {

constexpr std::uintptr_t kPage = kPageBytes;

// Through the kernel where the call is not ours to answer.
long ask(long number, long a, long b, long c = 0) {
  SystemCall call;
  call.number = number;
  call.arguments[0] = a;
  call.arguments[1] = b;
  call.arguments[2] = c;
  if (controlled()) before_clock_read(HEDDLE_CALLER);
  if (long result = 0; controlled() && answer_time(call, result)) return result;
  return os::system_call(number, a, b, c);
}

long clock_gettime_here(long clock, long time) { return ask(SYS_clock_gettime, clock, time); }
long gettimeofday_here(long time, long zone) { return ask(SYS_gettimeofday, time, zone); }
long time_here(long result) { return ask(SYS_time, result, 0); }
long getcpu_here(long processor, long node, long unused) { return ask(SYS_getcpu, processor, node, unused); }
// libc then makes the system call.
long getrandom_here() { return -ENOSYS; }

struct Redirection {
  const char* name;
  std::uintptr_t to;
};
template <typename Function>
std::uintptr_t address_of(Function function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

std::uintptr_t replacement(const char* name) {
  const Redirection all[] = {{"__vdso_clock_gettime", address_of(clock_gettime_here)},
                             {"__vdso_gettimeofday", address_of(gettimeofday_here)},
                             {"__vdso_time", address_of(time_here)},
                             {"__vdso_getcpu", address_of(getcpu_here)},
                             {"__vdso_getrandom", address_of(getrandom_here)}};
  for (const Redirection& one : all)
    if (strcmp(one.name, name) == 0) return one.to;
  return 0;
}

void redirect(std::uintptr_t function, std::uintptr_t to) {
  unsigned char jump[14] = {0xff, 0x25};  // jmp *0(%rip), and the address behind it
  memcpy(jump + 6, &to, sizeof to);
  memcpy(reinterpret_cast<void*>(function), jump, sizeof jump);
}

// The kernel does not let this mapping be split: all of it is changed. Its section headers are at its end.
bool protect(std::uintptr_t base, long protection) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(base);
  const std::uint64_t bytes = header->e_shoff + std::uint64_t{header->e_shnum} * header->e_shentsize;
  return os::system_call(SYS_mprotect, static_cast<long>(base), static_cast<long>((bytes + kPage - 1) & ~(kPage - 1)),
                         protection) == 0;
}

template <typename T>
const T* at(std::uintptr_t base, std::uint64_t offset) {
  return reinterpret_cast<const T*>(base + offset);
}

}  // namespace

void redirect_vdso() {
  constexpr std::uint64_t kMinBytes = 14;  // of a function that a jump fits into
  const std::uintptr_t base = getauxval(AT_SYSINFO_EHDR);
  if (base == 0) return;
  const auto* header = at<Elf64_Ehdr>(base, 0);
  if (header->e_shoff == 0 || !protect(base, PROT_READ | PROT_WRITE | PROT_EXEC)) return;
  const auto* sections = at<Elf64_Shdr>(base, header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const auto* symbols = at<Elf64_Sym>(base, sections[i].sh_offset);
    const char* names = at<char>(base, sections[sections[i].sh_link].sh_offset);
    for (std::uint64_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k) {
      const std::uintptr_t to = replacement(names + symbols[k].st_name);
      if (to != 0 && symbols[k].st_value != 0 && symbols[k].st_size >= kMinBytes)
        redirect(base + symbols[k].st_value, to);
    }
  }
  protect(base, PROT_READ | PROT_EXEC);
}

}  // namespace heddle::runtime

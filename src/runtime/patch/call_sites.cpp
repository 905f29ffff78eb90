// See call_sites.h. What a replaced instruction leads to, for each place:
//
//   movzbl selector(%rip), %ecx     nothing is caught at the moment: the kernel's
//   jrcxz  1f
//   lea    -number(%rax), %ecx      another call from the same place: by a signal, as before
//   jrcxz  2f
// 1: syscall
//   jmp    behind
// 2: lea    behind(%rip), %rcx
//   jmp    heddle_direct_call
//
// Only rcx changes on the way, as by `syscall` itself.
#include "runtime/patch/call_sites.h"

#include <gnu/libc-version.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/patch/padding.h"
#include "runtime/patch/vector_registers.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

extern "C" {
__attribute__((visibility("hidden"))) void heddle_direct_call();
__attribute__((used, visibility("hidden"))) char* heddle_direct_stack = nullptr;  // its top, or the present call's end
}

// heddle_direct_call: rcx is where to go on, the rest as the program had it; rax is the number. It goes on on a stack
// of its own, so that it leaves nothing on the task's, as the signal does not; libc may be called from there, too, and
// come here again. What is pushed last is a SystemCall. Operations leave all as it was and go on as if the handler had
// sent them there.
__asm__(
    ".text\n"
    ".globl heddle_direct_call\n.hidden heddle_direct_call\n.type heddle_direct_call,@function\n"
    "heddle_direct_call:\n"
    "  .cfi_startproc\n  .cfi_def_cfa %rsp, 0\n  .cfi_register %rip, %rcx\n"
    "  mov %rsp, %r11\n  .cfi_def_cfa %r11, 0\n"
    "  mov heddle_direct_stack(%rip), %rsp\n"
    "  pushfq\n  push %r11\n  push %rcx\n  push %rbp\n"
    "  mov %rsp, %rbp\n"
    // The program's frame: its stack pointer, return address and rbp lie above rbp.
    "  .cfi_escape 0x0f, 3, 0x76, 16, 0x06\n  .cfi_escape 0x10, 16, 2, 0x76, 8\n  .cfi_escape 0x10, 6, 2, 0x76, 0\n"
    "  push %r9\n  push %r8\n  push %r10\n  push %rdx\n  push %rsi\n  push %rdi\n  push %rax\n"
    "  cld\n  mov %rax, %rdi\n  sub $8, %rsp\n  call heddle_is_operation\n"
    "  test %al, %al\n  jnz 6f\n"
    "  subq $32768, heddle_direct_stack(%rip)\n" HEDDLE_SAVE_VECTORS
    "  lea -56(%rbp), %rdi\n  call heddle_on_direct_call\n"
    "  mov %rax, -56(%rbp)\n" HEDDLE_RESTORE_VECTORS
    "  lea -56(%rbp), %rsp\n  addq $32768, heddle_direct_stack(%rip)\n"
    "  pop %rax\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %r10\n  pop %r8\n  pop %r9\n"
    "  .cfi_remember_state\n"
    "  pop %rbp\n  pop %rcx\n  pop %r11\n"
    "  .cfi_restore %rbp\n  .cfi_def_cfa %r11, 0\n  .cfi_register %rip, %rcx\n"
    "  popfq\n  mov %r11, %rsp\n  .cfi_def_cfa %rsp, 0\n"
    "  jmp *%rcx\n"
    "  .cfi_restore_state\n"
    "6: lea -56(%rbp), %rsp\n  pop %rax\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %r10\n  pop %r8\n  pop %r9\n"
    "  pop %rbp\n  pop %rcx\n"
    "  .cfi_restore %rbp\n  .cfi_register %rip, %rcx\n  .cfi_escape 0x0f, 3, 0x77, 0, 0x06\n"
    "  mov 8(%rsp), %r11\n  mov (%rsp), %rsp\n  .cfi_def_cfa %rsp, 0\n"
    "  jmp heddle_system_call_entry\n"
    "  .cfi_endproc\n"
    ".size heddle_direct_call, .-heddle_direct_call\n");

namespace heddle::runtime {
namespace {

constexpr std::size_t kSyscallBytes = 2;  // of the instruction, and of a short jump
constexpr std::size_t kJumpBytes = 5;
constexpr std::size_t kCodeBytes = 64;  // for each place
constexpr unsigned kMaxSites = 64;
constexpr std::size_t kAreaBytes = kCodeBytes * kMaxSites;  // a page
constexpr Site kPage = kPageBytes;
constexpr std::size_t kStackBytes = std::size_t{256} << 10;  // eight calls within each other; see heddle_direct_call

// Places that were looked at, and where a call from there is caught now; 0: as before.
struct CallSite {
  Site behind;
  Site caught_behind;
};

struct PermanentCallSites {
  const char* selector;
  unsigned char* area;        // null: nothing is replaced
  Site code_begin, code_end;  // of the library whose places are replaced
  unsigned count;
  CallSite known[kMaxSites];
};
HEDDLE_PERMANENT PermanentCallSites sites = {};

class Writer {
 public:
  explicit Writer(unsigned char* at) : at_(at) {}
  Site here() const { return reinterpret_cast<Site>(at_); }
  void bytes(std::initializer_list<std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) *at_++ = byte;
  }
  // Four bytes, that reach from behind themselves to `target`.
  void reach(Site target) {
    const auto distance = static_cast<std::int64_t>(target - (here() + sizeof(std::int32_t)));
    reached_ = reached_ && distance == static_cast<std::int32_t>(distance);
    number(static_cast<std::int32_t>(distance));
  }
  void number(std::int32_t value) {
    memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  bool reached() const { return reached_; }

 private:
  unsigned char* at_;
  bool reached_ = true;
};

// Returns where a call that is caught in it is behind; 0: something is too far away.
Site write_code(unsigned char* to, Site behind, long number) {
  Writer code(to);
  code.bytes({0x0f, 0xb6, 0x0d});  // movzbl selector(%rip), %ecx
  code.reach(reinterpret_cast<Site>(sites.selector));
  code.bytes({0xe3, 8});     // jrcxz 1f
  code.bytes({0x8d, 0x88});  // lea -number(%rax), %ecx
  code.number(static_cast<std::int32_t>(-number));
  code.bytes({0xe3, 7});     // jrcxz 2f
  code.bytes({0x0f, 0x05});  // 1: syscall
  const Site caught_behind = code.here();
  code.bytes({0xe9});  // jmp behind
  code.reach(behind);
  code.bytes({0x48, 0x8d, 0x0d});  // 2: lea behind(%rip), %rcx
  code.reach(behind);
  code.bytes({0xe9});  // jmp heddle_direct_call
  code.reach(reinterpret_cast<Site>(&heddle_direct_call));
  return code.reached() ? caught_behind : 0;
}

bool protect(Site begin, Site end, int protection) {
  const Site first = begin & ~(kPage - 1), last = (end + kPage - 1) & ~(kPage - 1);
  return os::system_call(SYS_mprotect, static_cast<long>(first), static_cast<long>(last - first), protection) == 0;
}

// Two bytes at once: no processor sees one of them alone.
bool redirect(Site behind, Site padding, Site code) {
  const Site instruction = behind - kSyscallBytes;
  const Site begin = padding < instruction ? padding : instruction;
  const Site end = padding < instruction ? behind : padding + kJumpBytes;
  // Never without the right to execute: where it can't be given together with that to write, it could not be had back.
  if (!protect(begin, end, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
  Writer jump(reinterpret_cast<unsigned char*>(padding));
  jump.bytes({0xe9});
  jump.reach(code);
  const auto distance = static_cast<std::uint8_t>(padding - behind);
  const auto short_jump = static_cast<std::uint16_t>(0xebu | unsigned{distance} << 8);
  if (jump.reached()) __atomic_store_n(reinterpret_cast<std::uint16_t*>(instruction), short_jump, __ATOMIC_SEQ_CST);
  protect(begin, end, PROT_READ | PROT_EXEC);
  return jump.reached();
}

bool comes_by_signal(long number) {
  switch (number) {
    case SYS_rt_sigreturn:
    case SYS_rt_sigprocmask:
    case SYS_sigaltstack:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_execve:
    case SYS_execveat:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
      return true;
    default:
      return number < 0 || number > INT32_MAX;
  }
}

Site replace(Site behind, long number) {
  constexpr std::uint16_t kSyscall = 0x050f;
  std::uint16_t instruction = 0;
  memcpy(&instruction, reinterpret_cast<const void*>(behind - kSyscallBytes), sizeof instruction);
  const Site padding = instruction == kSyscall ? find_padding(behind, kJumpBytes) : 0;
  if (padding == 0) return 0;
  unsigned char* const code = sites.area + kCodeBytes * sites.count;
  const auto area = reinterpret_cast<Site>(sites.area);
  if (!protect(area, area + kAreaBytes, PROT_READ | PROT_WRITE)) return 0;
  const Site caught_behind = write_code(code, behind, number);
  if (!protect(area, area + kAreaBytes, PROT_READ | PROT_EXEC)) {
    sites.area = nullptr;
    return 0;
  }
  return caught_behind != 0 && redirect(behind, padding, reinterpret_cast<Site>(code)) ? caught_behind : 0;
}

}  // namespace

void prepare_call_sites(const char* selector) {
  dl_find_object library{};
  if (_dl_find_object(reinterpret_cast<void*>(&gnu_get_libc_version), &library) != 0) return;
  const long area = os::system_call(SYS_mmap, 0, kAreaBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area < 0 && area > -static_cast<long>(kPage)) return;
  sites.selector = selector;
  sites.area = reinterpret_cast<unsigned char*>(area);
  sites.code_begin = reinterpret_cast<Site>(library.dlfo_map_start);
  sites.code_end = reinterpret_cast<Site>(library.dlfo_map_end);
  heddle_direct_stack = static_cast<char*>(os::reserve_or_die(kStackBytes)) + kStackBytes;
}

void replace_call_site(Site behind, long number) {
  if (sites.area == nullptr || sites.count == kMaxSites || behind < sites.code_begin || behind >= sites.code_end ||
      comes_by_signal(number))
    return;
  for (unsigned i = 0; i < sites.count; ++i)
    if (sites.known[i].behind == behind) return;
  sites.known[sites.count] = {behind, replace(behind, number)};
  ++sites.count;
}

Site original_site(Site behind) {
  if (behind - reinterpret_cast<Site>(sites.area) >= kAreaBytes) return behind;
  for (unsigned i = 0; i < sites.count; ++i)
    if (sites.known[i].caught_behind == behind) return sites.known[i].behind;
  return behind;
}

}  // namespace heddle::runtime

extern "C" __attribute__((used, noinline, visibility("hidden"))) long heddle_on_direct_call(
    const heddle::runtime::SystemCall* call) {
  return heddle::runtime::make_program_call(*call);
}

// See atomics.h. What runs instead of an instruction:
//
//   those before it that made room for the jump
//   lea  -128(%rsp), %rsp      the red zone
//   call *entry(%rip)          saves all registers; heddle_on_patched()
//   lea  128(%rsp), %rsp
//   the instruction, and those behind it that made room
//   jmp  behind them
//
// So between the step and the instruction no other task runs, and the processor does what the model was told. A jump
// takes five bytes. Where there is no room for it, a short one leads to padding between two functions (padding.h), and
// from there a jump leads on. Where there is none, either, the instruction stays.
#include "runtime/patch/atomics.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <string_view>

#include "instrument/atomic_instruction.h"
#include "protocol/assert.h"
#include "protocol/known_libraries.h"
#include "protocol/page.h"
#include "protocol/time_stamp_code.h"
#include "runtime/detect/modules.h"
#include "runtime/os/system_call.h"
#include "runtime/patch/code_area.h"
#include "runtime/patch/code_points.h"
#include "runtime/patch/functions.h"
#include "runtime/patch/instructions.h"
#include "runtime/patch/padding.h"
#include "runtime/patch/trampoline.h"
#include "runtime/patch/vector_registers.h"
#include "runtime/schedule/points.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"

extern "C" __attribute__((visibility("hidden"))) void heddle_patched_entry();

// Called from our code for one instruction, below the red zone; changes nothing. What is pushed: flags, and the 16
// registers in the order of their numbers (of the stack pointer, nothing that is used). Unwinding goes on behind the
// instruction that was replaced: its address lies in the Replacement, whose address is a multiple of 128.
__asm__(
    ".text\n"
    ".globl heddle_patched_entry\n.hidden heddle_patched_entry\n.type heddle_patched_entry,@function\n"
    "heddle_patched_entry:\n"
    "  .cfi_startproc\n  .cfi_def_cfa %rsp, 136\n"
    // rip is saved at (*(CFA - 136) & -128) + 112
    "  .cfi_escape 0x10, 16, 9, 0x08, 136, 0x1c, 0x06, 0x09, 0x80, 0x1a, 0x23, 112\n"
    "  pushfq\n  push %r15\n  push %r14\n  push %r13\n  push %r12\n  push %r11\n  push %r10\n  push %r9\n  push %r8\n"
    "  push %rdi\n  push %rsi\n  push %rbp\n  push %rsp\n  push %rbx\n  push %rdx\n  push %rcx\n  push %rax\n"
    "  .cfi_def_cfa_offset 272\n"
    "  .cfi_offset %rbx, -248\n  .cfi_offset %rbp, -232\n  .cfi_offset %r12, -176\n  .cfi_offset %r13, -168\n"
    "  .cfi_offset %r14, -160\n  .cfi_offset %r15, -152\n"
    "  mov %rsp, %rbx\n  .cfi_def_cfa_register %rbx\n" HEDDLE_SAVE_VECTORS
    "  cld\n  mov 136(%rbx), %rdi\n  mov %rbx, %rsi\n  call heddle_on_patched\n" HEDDLE_RESTORE_VECTORS
    "  mov %rbx, %rsp\n  .cfi_def_cfa_register %rsp\n"
    "  pop %rax\n  pop %rcx\n  pop %rdx\n  pop %rbx\n  .cfi_restore %rbx\n"
    "  lea 8(%rsp), %rsp\n  pop %rbp\n  .cfi_restore %rbp\n  pop %rsi\n  pop %rdi\n"
    "  pop %r8\n  pop %r9\n  pop %r10\n  pop %r11\n  pop %r12\n  pop %r13\n  pop %r14\n  pop %r15\n  popfq\n"
    "  .cfi_restore %r12\n  .cfi_restore %r13\n  .cfi_restore %r14\n  .cfi_restore %r15\n  .cfi_def_cfa_offset 136\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_patched_entry, .-heddle_patched_entry\n");

namespace heddle::runtime {
namespace {

constexpr std::size_t kJump = kNearJumpBytes, kShortJump = 2, kRedZone = 128;

// What runs instead of one instruction.
struct alignas(128) Replacement {
  unsigned char code[96];
  Site entry;
  unsigned char* copy;  // of the instruction, in `code`
  Site behind;          // the instruction that was replaced
  CodePointKind kind;
};
static_assert(sizeof(Replacement) == 128 && offsetof(Replacement, behind) == 112, "as heddle_patched_entry says");

constexpr std::size_t kOfArea = 512;
constexpr std::size_t kAreaBytes = kOfArea * sizeof(Replacement);

// Where they lie, for unpatched_site(): the first so many.
constexpr std::size_t kMaxAreas = 64;
struct PermanentAreas {
  Site begin[kMaxAreas];
  std::size_t count;
};
HEDDLE_PERMANENT PermanentAreas areas{};

// Where a displacement from the next instruction lies in an instruction; 0: it has none.
std::size_t relative_operand(const unsigned char* code, const Instruction& instruction) {
  constexpr unsigned char kMode = 0xc7, kRelative = 5;
  const bool has_it = instruction.operands != 0 && (code[instruction.operands] & kMode) == kRelative;
  return has_it ? instruction.operands + std::size_t{1} : 0;
}

enum class Jump : std::uint8_t { No, Always, IfTrue };

Jump jump_of(const Instruction& instruction) {
  const unsigned operation = instruction.operation;
  const bool one = instruction.map == Instruction::Map::One;
  if (one && (operation == 0xe9 || operation == 0xeb)) return Jump::Always;
  const bool has_condition = one ? operation >> 4 == 7 : operation >> 4 == 8;
  return has_condition && instruction.map != Instruction::Map::Other ? Jump::IfTrue : Jump::No;
}

class Patcher {
 public:
  // A segment of a file that is run.
  explicit Patcher(const Code& code) : code_(code), functions_(reinterpret_cast<Site>(code.begin)) {}
  ~Patcher();
  Patcher(const Patcher&) = delete;
  Patcher& operator=(const Patcher&) = delete;

  void patch();
  std::uint32_t found() const { return found_; }
  std::uint32_t left() const { return left_; }

 private:
  void patch(const CodePoint& point);
  bool replace(const CodePoint& point);
  Replacement* make_room();
  // Copies whole instructions so that they do the same there; false: they would reach too far.
  bool copy_instructions(CodeWriter& to, const unsigned char* from, std::size_t bytes);
  // `from`: where what is replaced begins.
  bool write(Replacement& to, const CodePoint& point, std::size_t from, std::size_t bytes);

  Code code_;
  Functions functions_;
  Replacement* area_ = nullptr;
  std::size_t used_ = 0;  // of the area
  std::uint32_t found_ = 0, left_ = 0;
  bool writable_ = false;
};

Patcher::~Patcher() {
  if (area_ != nullptr) protect_code(area_, kAreaBytes, PROT_READ | PROT_EXEC);
  if (writable_) protect_code(code_.begin, code_.bytes, PROT_READ | PROT_EXEC);
}

Replacement* Patcher::make_room() {
  // Never without the right to execute: where it can't be given together with that to write, it could not be had back.
  if (!writable_ && !protect_code(code_.begin, code_.bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) return nullptr;
  writable_ = true;
  if (area_ == nullptr || used_ == kOfArea) {
    if (area_ != nullptr) protect_code(area_, kAreaBytes, PROT_READ | PROT_EXEC);
    area_ = static_cast<Replacement*>(map_code_area(reinterpret_cast<Site>(code_.begin), kAreaBytes));
    if (areas.count < kMaxAreas) areas.begin[areas.count++] = reinterpret_cast<Site>(area_);
    used_ = 0;
  }
  return area_ != nullptr ? area_ + used_ : nullptr;
}

bool Patcher::copy_instructions(CodeWriter& to, const unsigned char* from, std::size_t bytes) {
  for (const unsigned char* const end = from + bytes; from < end;) {
    const Instruction instruction = read_instruction(from);
    const unsigned char* const next = from + instruction.bytes;
    std::int32_t distance = 0;
    if (const Jump jump = jump_of(instruction); jump != Jump::No) {
      if (instruction.constants == 1)
        distance = next[-1] < 0x80 ? next[-1] : next[-1] - 0x100;  // a byte with a sign
      else
        memcpy(&distance, next - sizeof distance, sizeof distance);
      const Site target = reinterpret_cast<Site>(next) + static_cast<Site>(std::int64_t{distance});
      if (jump == Jump::Always)
        to.bytes({0xe9});
      else
        to.bytes({0x0f, static_cast<unsigned char>(0x80 | (instruction.operation & 0xf))});
      if (!is_in_reach(to.here(), target)) return false;
      to.reach(target);
    } else if (const std::size_t relative = relative_operand(from, instruction); relative != 0) {
      memcpy(&distance, from + relative, sizeof distance);
      const Site copy_ends = to.here() + instruction.bytes;
      const Site target = reinterpret_cast<Site>(next) + static_cast<Site>(std::int64_t{distance});
      if (!is_in_reach(copy_ends, target)) return false;
      to.copy(from, relative);
      to.number(static_cast<std::int32_t>(target - copy_ends));
      to.copy(from + relative + sizeof distance, instruction.bytes - relative - sizeof distance);
    } else {
      to.copy(from, instruction.bytes);
    }
    from = next;
  }
  return true;
}

bool Patcher::write(Replacement& to, const CodePoint& point, std::size_t from, std::size_t bytes) {
  const unsigned char* const instruction = code_.begin + point.at;
  to.entry = reinterpret_cast<Site>(&heddle_patched_entry);
  to.behind = reinterpret_cast<Site>(instruction + point.bytes);
  to.kind = point.kind;
  CodeWriter code(to.code);
  if (!copy_instructions(code, code_.begin + from, point.at - from)) return false;
  code.bytes({0x48, 0x8d, 0x64, 0x24, 0x80});  // lea -128(%rsp), %rsp
  code.bytes({0xff, 0x15});                    // call *entry(%rip)
  code.reach(reinterpret_cast<Site>(&to.entry));
  code.bytes({0x48, 0x8d, 0xa4, 0x24});  // lea 128(%rsp), %rsp
  code.number(kRedZone);
  to.copy = reinterpret_cast<unsigned char*>(code.here());
  if (!copy_instructions(code, instruction, from + bytes - point.at)) return false;
  code.bytes({0xe9});
  code.reach(reinterpret_cast<Site>(code_.begin + from + bytes));
  HEDDLE_ASSERT(code.here() <= reinterpret_cast<Site>(&to.entry), "the longest has room");
  return true;
}

bool Patcher::replace(const CodePoint& point) {
  const std::size_t from = point.at - point.before, bytes = point.room != 0 ? point.room : point.bytes;
  auto* const instruction = const_cast<unsigned char*>(code_.begin) + from;
  const Site behind_short_jump = reinterpret_cast<Site>(instruction) + kShortJump;
  const Site padding = point.room == 0 ? find_padding(behind_short_jump, kJump) : 0;
  if (point.room == 0 && (padding == 0 || point.bytes < kShortJump)) return false;
  Replacement* const replacement = make_room();
  if (replacement == nullptr || !is_in_reach(reinterpret_cast<Site>(instruction), reinterpret_cast<Site>(replacement)))
    return false;
  if (!write(*replacement, point, from, bytes)) return false;
  ++used_;
  CodeWriter jump(padding == 0 ? instruction : reinterpret_cast<unsigned char*>(padding));
  jump.bytes({0xe9});
  jump.reach(reinterpret_cast<Site>(replacement));
  if (padding != 0) {
    jump = CodeWriter(instruction);
    jump.bytes({0xeb, static_cast<unsigned char>(padding - behind_short_jump)});
  }
  while (jump.here() < reinterpret_cast<Site>(instruction) + bytes) jump.bytes({0x90});
  return true;
}

void Patcher::patch(const CodePoint& point) {
  const bool counts = point.kind != CodePointKind::Wait;
  found_ += counts ? 1 : 0;
  if (!replace(point)) left_ += counts ? 1 : 0;
}

struct LandingPads {
  JumpTargets& targets;
  Site from, to;  // of the function
  Site code;
};

void add_landing_pad(Site place, void* argument) {
  auto& pads = *static_cast<LandingPads*>(argument);
  if (place >= pads.from && place < pads.to) pads.targets.add(place - pads.code);
}

void Patcher::patch() {
  const std::size_t words = code_.bytes / JumpTargets::kBitsOfWord + 1;
  const long memory = os::system_call(SYS_mmap, 0, static_cast<long>(words * sizeof(std::uint64_t)),
                                      PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory < 0 && memory > -static_cast<long>(kPageBytes)) return;
  JumpTargets targets(reinterpret_cast<std::uint64_t*>(memory));
  add_far_jumps(code_, targets);
  // Behind a function an instruction's length can be read: up to the end of the segment's last page.
  const auto begin = reinterpret_cast<Site>(code_.begin), end = begin + code_.bytes;
  const Site last = std::min(end, ((end + kPageBytes - 1) & ~Site{kPageBytes - 1}) - kLongestInstruction);
  for (std::size_t i = 0; i < functions_.count(); ++i) {
    const Site from = functions_.begin(i), to = functions_.end(i);
    if (from < begin || to <= from || to > last) continue;
    LandingPads pads{targets, from, to, begin};
    const bool all = functions_.for_each_landing_pad(i, add_landing_pad, &pads);
    const CodeOfFunction function{from - begin, to - begin, !all};
    find_code_points(
        code_, function, targets,
        [](const CodePoint& point, void* patcher) { static_cast<Patcher*>(patcher)->patch(point); }, this);
  }
  os::system_call(SYS_munmap, memory, static_cast<long>(words * sizeof(std::uint64_t)));
}

bool is_left_alone(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // the whole path without a slash
  return is_known_library(path);
}

int patch_file(dl_phdr_info* info, std::size_t, void*) {
  if (is_left_alone(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || (segment.p_flags & PF_R) == 0) continue;
    const Code code{reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr), segment.p_filesz};
    if (code.bytes < kLongestInstruction || is_instrumented(code.begin)) continue;
    Patcher patcher(code);
    patcher.patch();
    runtime.shared->status.atomics_found.fetch_add(patcher.found());
    runtime.shared->status.atomics_left.fetch_add(patcher.left());
  }
  return 0;
}

}  // namespace

void patch_atomics() {
  if (config.patch == 0) return;
  prepare_trampoline();
  runtime.shared->status.atomics_found.store(0);  // a forked or later process counts anew
  runtime.shared->status.atomics_left.store(0);
  for_each_loaded_file(patch_file, nullptr);
}

namespace {

// Not in line: in the frame of a loop that waits there is to be nothing that this leaves unwritten (loops.h).
[[gnu::noinline]] void point_at(const Replacement& replacement, const std::uint64_t* registers) {
  constexpr std::size_t kSaved = 18;  // registers, flags, return address
  const auto stack = reinterpret_cast<std::uint64_t>(registers + kSaved) + kRedZone;
  instrument::InlineAtomic access = instrument::read_atomic(replacement.copy, registers, stack);
  if (access.size == 0) return;
  static_cast<void>(*static_cast<volatile unsigned char*>(access.address));  // a wrong address faults here
  access.caller = reinterpret_cast<const void*>(replacement.behind);
  point_at_atomic_instruction(access);
}

}  // namespace

Site unpatched_site(Site site) {
  constexpr Site kCall = 19;  // and what is before and behind it
  const auto* const found = std::find_if(areas.begin, areas.begin + areas.count,
                                         [site](Site area) { return site >= area && site - area < kAreaBytes; });
  if (found == areas.begin + areas.count) return site;
  const auto& replacement = *reinterpret_cast<const Replacement*>(site & ~(sizeof(Replacement) - 1));
  const auto copy = reinterpret_cast<Site>(replacement.copy);
  const Site instruction = replacement.behind - read_instruction(replacement.copy).bytes;
  if (site >= copy) return instruction + (site - copy);
  return site < copy - kCall ? instruction - (copy - kCall - site) : instruction;  // what was before it
}

}  // namespace heddle::runtime

extern "C" __attribute__((used, noinline, visibility("hidden"))) void heddle_on_patched(
    const unsigned char* called_from, const std::uint64_t* registers) {
  using namespace heddle::runtime;
  if (!is_point()) return;
  const auto& replacement =
      *reinterpret_cast<const Replacement*>(reinterpret_cast<std::uintptr_t>(called_from) & ~(sizeof(Replacement) - 1));
  if (replacement.kind == CodePointKind::Wait)
    point_in_waiting_loop(replacement.behind);
  else if (replacement.kind == CodePointKind::Fence)
    point_at_fence(replacement.behind);
  else
    point_at(replacement, registers);
}

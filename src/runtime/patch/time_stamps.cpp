// See time_stamps.h. protocol/time_stamp_code.h says which reads can be replaced. The jump takes five bytes, so the
// instructions behind a read move to our code, too. Nothing may jump to one of these: such a jump keeps the read as it
// is, and so does code that is not understood.
#include "runtime/patch/time_stamps.h"

#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

#include <algorithm>
#include <string_view>

#include "protocol/assert.h"
#include "protocol/known_libraries.h"
#include "protocol/time_stamp_code.h"
#include "runtime/patch/code_area.h"
#include "runtime/patch/instructions.h"
#include "runtime/patch/trampoline.h"
#include "runtime/patch/vector_registers.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"
#include "runtime/world/clock.h"

extern "C" __attribute__((visibility("hidden"))) void heddle_time_stamp_entry();

// Called from our code for one read, below the red zone: gives the ticks in rdx and rax, and changes nothing else.
__asm__(
    ".text\n"
    ".globl heddle_time_stamp_entry\n.hidden heddle_time_stamp_entry\n"
    ".type heddle_time_stamp_entry,@function\n"
    "heddle_time_stamp_entry:\n"
    "  .cfi_startproc\n"
    "  pushfq\n  .cfi_adjust_cfa_offset 8\n"
    "  push %rbp\n  .cfi_adjust_cfa_offset 8\n  .cfi_rel_offset %rbp, 0\n"
    "  mov %rsp, %rbp\n  .cfi_def_cfa_register %rbp\n"
    "  push %rax\n  push %rcx\n  push %rsi\n  push %rdi\n"
    "  push %r8\n  push %r9\n  push %r10\n  push %r11\n" HEDDLE_SAVE_VECTORS
    "  cld\n  mov 16(%rbp), %rdi\n  call heddle_on_time_stamp\n"
    "  mov %rax, -8(%rbp)\n" HEDDLE_RESTORE_VECTORS
    "  lea -64(%rbp), %rsp\n"
    "  pop %r11\n  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rcx\n  pop %rax\n"
    "  mov %rax, %rdx\n  shr $32, %rdx\n  mov %eax, %eax\n"
    "  pop %rbp\n  .cfi_restore %rbp\n  .cfi_def_cfa %rsp, 16\n"
    "  popfq\n  .cfi_adjust_cfa_offset -8\n"
    "  ret\n"
    "  .cfi_endproc\n"
    ".size heddle_time_stamp_entry, .-heddle_time_stamp_entry\n");

namespace heddle::runtime {
namespace {

constexpr std::size_t kMaxReads = 256;  // of one file
constexpr std::size_t kJump = kNearJumpBytes;

// What runs instead of one read.
struct Replacement {
  unsigned char code[48];
  Site entry;
  Site behind;  // the instruction that was replaced
};
static_assert(sizeof(Replacement) == 64);
constexpr std::size_t kAreaBytes = kMaxReads * sizeof(Replacement);
constexpr std::size_t kCallEnds = 11;  // where the call of `entry` in `code` returns to

struct Code {
  unsigned char* begin;
  std::size_t bytes;
};

struct File {
  Replacement* area;  // null: none was needed yet, or there is no room for it
  std::size_t count;
};

// Nothing that a schedule could decide depends on what the C and C++ libraries read; ours measures by it.
bool is_left_alone(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // the whole path without a slash
  return is_known_library(path);
}

// Where the relative jump of so many bytes at `at` leads to; -1: it is none.
std::int64_t jump_target(const Code& code, std::size_t at, std::size_t bytes) {
  const unsigned char* const jump = code.begin + at;
  const auto behind = static_cast<std::int64_t>(at + bytes);
  if (bytes == 2 && (*jump == 0xeb || (*jump & 0xf0) == 0x70 || (*jump & 0xfc) == 0xe0))
    return behind + static_cast<signed char>(jump[1]);
  const bool far =
      (bytes == kJump && *jump == 0xe9) || (bytes == kJump + 1 && *jump == 0x0f && (jump[1] & 0xf0) == 0x80);
  if (!far) return -1;
  std::int32_t distance = 0;
  memcpy(&distance, jump + bytes - sizeof distance, sizeof distance);
  return behind + distance;
}

struct Part {
  std::size_t begin, end;
  bool holds(std::int64_t target) const {
    return target > static_cast<std::int64_t>(begin) && target < static_cast<std::int64_t>(end);
  }
};

// From a distance of the part, by far jumps: four bytes do not come to that by chance.
bool is_reached_from_afar(const Code& code, const Part& part) {
  constexpr std::size_t kAfar = std::size_t{64} << 10;
  const std::size_t from = part.begin > kAfar ? part.begin - kAfar : 0, to = std::min(code.bytes, part.end + kAfar);
  for (std::size_t at = from; at + kLongestInstruction <= to; ++at)
    for (const std::size_t bytes : {kJump, kJump + 1})
      if ((at + bytes <= part.begin || at >= part.end) && part.holds(jump_target(code, at, bytes))) return true;
  return false;
}

enum class Nearby : std::uint8_t { Unknown, Clear, JumpedInto };

// Instruction after instruction, begun somewhere: where that is in the midst of one, the next are soon the right ones.
Nearby look_nearby(const Code& code, const Part& part, std::size_t from) {
  constexpr std::size_t kReach = 160;
  bool met = false;
  for (std::size_t at = from; at < part.end + kReach;) {
    if (at + kLongestInstruction > code.bytes) break;
    if (at > part.begin && !met) return Nearby::Unknown;
    met = met || at == part.begin;
    const std::size_t bytes = instruction_length(code.begin + at);
    // Behind the part may be the end of the function, and no code.
    if (bytes == 0) return met ? Nearby::Clear : Nearby::Unknown;
    if (part.holds(jump_target(code, at, bytes))) return Nearby::JumpedInto;
    at += bytes;
  }
  return met ? Nearby::Clear : Nearby::Unknown;
}

// May something jump into it, behind its beginning?
bool is_jumped_into(const Code& code, const Part& part) {
  constexpr std::size_t kBefore = 400, kTries = 16;
  const std::size_t first = part.begin > kBefore ? part.begin - kBefore : 0;
  for (std::size_t tries = 0; tries < kTries && first + tries <= part.begin; ++tries) {
    const Nearby nearby = look_nearby(code, part, first + tries);
    if (nearby != Nearby::Unknown) return nearby == Nearby::JumpedInto || is_reached_from_afar(code, part);
  }
  return true;
}

void write_replacement(Replacement& to, unsigned char* instruction, const TimeStampCode& read) {
  const unsigned char* const behind = instruction + read.bytes;
  to.entry = reinterpret_cast<Site>(&heddle_time_stamp_entry);
  to.behind = reinterpret_cast<Site>(behind);
  CodeWriter code(to.code);
  code.bytes({0x48, 0x8d, 0x64, 0x24, 0x80});  // lea -128(%rsp), %rsp
  code.bytes({0xff, 0x15});                    // call *entry(%rip)
  code.reach(reinterpret_cast<Site>(&to.entry));
  HEDDLE_ASSERT(code.here() == reinterpret_cast<Site>(to.code) + kCallEnds, "from there `behind` is found");
  code.bytes({0x48, 0x8d, 0xa4, 0x24});  // lea 128(%rsp), %rsp
  code.number(128);
  if (read.with_processor) code.bytes({0xb9, 0, 0, 0, 0});  // mov $0, %ecx
  code.copy(behind, read.moved);
  code.bytes({0xe9});
  code.reach(reinterpret_cast<Site>(behind + read.moved));
}

void replace(File& file, const Code& code, std::size_t at, const TimeStampCode& read) {
  unsigned char* const instruction = code.begin + at;
  const std::size_t bytes = read.bytes + read.moved;
  if (is_jumped_into(code, {at, at + bytes})) return;
  if (file.area == nullptr)
    file.area = static_cast<Replacement*>(map_code_area(reinterpret_cast<Site>(code.begin), kAreaBytes));
  if (file.area == nullptr || file.count == kMaxReads) return;
  Replacement& replacement = file.area[file.count];
  const auto target = reinterpret_cast<Site>(&replacement);
  if (!is_in_reach(reinterpret_cast<Site>(instruction), target)) return;
  if (!protect_code(instruction, bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) return;
  ++file.count;
  write_replacement(replacement, instruction, read);
  CodeWriter jump(instruction);
  jump.bytes({0xe9});
  jump.reach(target);
  for (std::size_t i = kJump; i < bytes; ++i) jump.bytes({0x90});
  protect_code(instruction, bytes, PROT_READ | PROT_EXEC);
}

void replace_in(File& file, const Code& code) {
  constexpr unsigned char kFirstByte = 0x0f;
  for (std::size_t at = 0; at < code.bytes;) {
    if (code.begin[at] != kFirstByte) {
      ++at;
      continue;
    }
    const TimeStampCode read = time_stamp_code_at(code.begin + at, code.bytes - at);
    if (read.replaceable) replace(file, code, at, read);
    at += read.replaceable ? read.bytes + read.moved : 1;
  }
}

struct PermanentTimeStamps {
  unsigned long long files_loaded;  // ever, when it was last looked
};
HEDDLE_PERMANENT PermanentTimeStamps time_stamps{};

int count_loaded(dl_phdr_info* info, std::size_t, void* count) {
  *static_cast<unsigned long long*>(count) = info->dlpi_adds;
  return 1;
}

int replace_in_file(dl_phdr_info* info, std::size_t, void*) {
  if (is_left_alone(info->dlpi_name)) return 0;
  File file{};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || (segment.p_flags & PF_R) == 0) continue;
    replace_in(file, {reinterpret_cast<unsigned char*>(info->dlpi_addr + segment.p_vaddr), segment.p_filesz});
  }
  if (file.area != nullptr) protect_code(file.area, kAreaBytes, PROT_READ | PROT_EXEC);
  return 0;
}

}  // namespace

void replace_time_stamps() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(count_loaded, &loaded);
  if (loaded == time_stamps.files_loaded) return;
  time_stamps.files_loaded = loaded;
  prepare_trampoline();
  for_each_loaded_file(replace_in_file, nullptr);
}

}  // namespace heddle::runtime

extern "C" __attribute__((used, noinline, visibility("hidden"))) std::uint64_t heddle_on_time_stamp(
    const unsigned char* called_from) {
  using namespace heddle::runtime;
  if (!controlled()) return __rdtsc();
  const auto& replacement = *reinterpret_cast<const Replacement*>(called_from - kCallEnds);
  before_clock_read(replacement.behind);
  return static_cast<std::uint64_t>(config.monotonic_start + read_clock());
}

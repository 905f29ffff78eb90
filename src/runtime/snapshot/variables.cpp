// See variables.h.
#include "runtime/snapshot/variables.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "protocol/known_libraries.h"
#include "runtime/heap/program_heap.h"
#include "runtime/os/real.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/plan_reader.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/modules.h"
#include "runtime/state/objects.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

using Word = std::uint64_t;

constexpr unsigned kMaxPieces = 64;
constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  // that are looked at
constexpr unsigned kMaxWords = 1u << 15;                 // that are recorded

// Of a loaded file: what stays writable after relocation.
struct Piece {
  std::uintptr_t begin, end;
};

struct PermanentPieces {
  Piece all[kMaxPieces];
  unsigned count = 0;
  std::uintptr_t program_end = 0;  // behind it the kernel's heap lies (brk)
};
HEDDLE_PERMANENT constinit PermanentPieces permanent_pieces{};

struct Survey {
  OwnImage own;
  std::uintptr_t allocator = 0;  // a function of the file that brings its own malloc; 0: there is none
};

bool holds(const dl_phdr_info* info, std::uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

// A file that brings its own malloc may have its heap among its variables.
bool is_examined(const dl_phdr_info* info, const Survey& survey) {
  return !is_of_the_system(info->dlpi_name) && !holds(info, survey.own.code_begin) && !holds(info, survey.allocator);
}

int add_pieces(dl_phdr_info* info, std::size_t, void* argument) {
  const bool examined = is_examined(info, *static_cast<const Survey*>(argument));
  std::uintptr_t relocated_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
      relocated_end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  const bool is_program = info->dlpi_name[0] == '\0';
  for (int i = 0; i < info->dlpi_phnum && permanent_pieces.count < kMaxPieces; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    Piece piece{info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
    if (is_program && piece.end > permanent_pieces.program_end) permanent_pieces.program_end = piece.end;
    if (!examined || (segment.p_flags & PF_W) == 0) continue;
    if (relocated_end > piece.begin && relocated_end < piece.end) piece.begin = relocated_end;
    piece.begin = (piece.begin + sizeof(Word) - 1) & ~(sizeof(Word) - 1);
    if (piece.begin < piece.end) permanent_pieces.all[permanent_pieces.count++] = piece;
  }
  return 0;
}

// --- what is left out

// Of heaps, stacks, mappings; with or without a number in the bits that addresses leave free.
bool is_address(Word word, std::uintptr_t heap_end) {
  constexpr Word kAddressBits = (Word{1} << 48) - 1;
  const Word address = word & kAddressBits;
  if (address >= kSomeAddress && address >> 47 == 0) return true;
  return address >= permanent_pieces.program_end && address < heap_end;
}

// Objects have numbers in the order of first use.
bool is_mark_of_small_object(std::uint32_t half, std::uintptr_t address) {
  const ObjectId id = small_object_marked(half);
  if (id == kNoObject || id > runtime.world->population().object_count()) return false;
  const std::uintptr_t known = runtime.world->object(id).address;
  return known <= address && address < known + sizeof(Word);
}

Word comparable(std::uintptr_t address, std::uintptr_t heap_end) {
  Word word;
  memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
  if (word == 0 || is_mark(&word)) return 0;
  if (is_address(word, heap_end)) return kSomeAddress;
  std::uint32_t halves[2];
  memcpy(halves, &word, sizeof word);
  for (unsigned i = 0; i < 2; ++i)
    if (is_mark_of_small_object(halves[i], address + i * sizeof halves[0])) halves[i] = 0;
  memcpy(&word, halves, sizeof word);
  return word;
}

unsigned tasks_that_read_clocks() {
  unsigned count = 0;
  for (std::uint32_t id = 0; id < runtime.world->population().task_count(); ++id)
    count += runtime.tasks[id].processor_time != 0 ? 1 : 0;
  return count;
}

// --- the record

// Not on the stack: the program may end in a handler, on an alternate stack of its own that has no room for it.
constexpr unsigned kBufferWords = 512;
struct PermanentBuffer {
  Word words[kBufferWords];
};
HEDDLE_PERMANENT constinit PermanentBuffer permanent_buffer{};

// Records runs of words that are not zero, of what is mapped and can be read.
class Writer {
 public:
  // False: that was all that is looked at.
  bool examine(std::uintptr_t begin, std::uintptr_t end) {
    for (at_ = begin; at_ + sizeof(Word) <= end && recorded_ < kMaxWords && examined_ < kMaxBytes;
         at_ += sizeof(Word), examined_ += sizeof(Word)) {
      const Word word = comparable(at_, heap_end_);
      if (word == 0)
        run_ = kNoRun;
      else
        put(word);
    }
    run_ = kNoRun;
    return at_ + sizeof(Word) > end;
  }

  void close() {
    if (filled_ + kRunWords > kCapacity) flush();
    begin_run();
    flush();
  }

 private:
  static constexpr unsigned kCapacity = kBufferWords, kRunWords = sizeof(MemoryRun) / sizeof(Word), kNoRun = kCapacity;

  void put(Word word) {
    if (filled_ + kRunWords + 1 > kCapacity) flush();
    if (run_ == kNoRun) begin_run();
    buffer_[filled_++] = word;
    ++buffer_[run_ + 1];
    ++recorded_;
  }
  void begin_run() {
    run_ = filled_;
    const MemoryRun run{at_, 0};
    memcpy(buffer_ + filled_, &run, sizeof run);
    filled_ += kRunWords;
  }
  void flush() {
    record_message(MessageKind::Memory, kNoTask, reinterpret_cast<const char*>(buffer_), filled_ * sizeof(Word));
    filled_ = 0;
    run_ = kNoRun;
  }

  const std::uintptr_t heap_end_ = static_cast<std::uintptr_t>(os::system_call(SYS_brk, 0));
  std::uintptr_t at_ = 0;
  std::size_t examined_ = 0;
  unsigned recorded_ = 0, filled_ = 0;
  unsigned run_ = kNoRun;  // where in the buffer the present run begins
  Word* const buffer_ = permanent_buffer.words;
};

bool examine_mapping(const Mapping& mapping, void* argument) {
  auto& writer = *static_cast<Writer*>(argument);
  if (!mapping.readable || mapping.shared) return true;
  for (unsigned i = 0; i < permanent_pieces.count; ++i) {
    const Piece& piece = permanent_pieces.all[i];
    const std::uintptr_t begin = piece.begin > mapping.begin ? piece.begin : mapping.begin;
    const std::uintptr_t end = piece.end < mapping.end ? piece.end : mapping.end;
    if (begin < end && !writer.examine(begin, end)) return false;
  }
  return true;
}

}  // namespace

void find_variables() {
  Survey survey;
  survey.own = own_image();
  if (process_heap.is_bypassed) {
    const auto first = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "malloc"));
    const bool ours = first >= survey.own.begin && first < survey.own.end;
    survey.allocator = ours ? reinterpret_cast<std::uintptr_t>(real::malloc) : first;
  }
  for_each_loaded_file(add_pieces, &survey);
}

void record_variables() {
  if ((plan().flags & PlanFlags::Memory) == 0 || config.clock == ClockKind::Real || tasks_that_read_clocks() > 1)
    return;
  Writer writer;
  if (for_each_mapping(examine_mapping, &writer)) writer.close();
}

}  // namespace heddle::runtime

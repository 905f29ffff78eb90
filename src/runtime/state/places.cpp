// See places.h.
#include "runtime/state/places.h"

#include <link.h>

#include "protocol/mix.h"
#include "protocol/records.h"
#include "runtime/os/system_call.h"
#include "runtime/state/address_space.h"
#include "runtime/state/loaded_files.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {

constinit ExecutionPlaces execution_places{};

namespace {

struct Range {
  std::uintptr_t begin, end;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

constexpr unsigned kMostModules = 128;  // of more, the rest is memory of another kind

// The kernel keeps at least this much free below the beginning of the first stack.
constexpr std::uintptr_t kMainStackBytes = std::uintptr_t{64} << 20;

// Every block that was given out since names are wanted, in this order. The last one that holds an address is the one
// that is there now, if any is.
struct NamedBlock {
  std::uintptr_t begin;
  std::uint32_t units;  // of kUnitBytes
  std::uint32_t name;   // 0: none
};
constexpr std::size_t kUnitBytes = 16;  // so that the whole heap fits into a block
constexpr std::uint32_t kMaxBlocks = 1u << 20;
constexpr std::uint32_t kExamined = 1u << 14;  // the latest of them; for what lies in older ones there is no name

struct PermanentPlaces {
  Range modules[kMostModules];
  unsigned module_count = 0;
  std::uintptr_t main_stack = 0;
  NamedBlock* blocks = nullptr;
};
HEDDLE_PERMANENT constinit PermanentPlaces permanent_places{};

std::uint32_t mixed(std::uint64_t one, std::uint64_t two) {
  std::uint64_t hash = (one ^ (two << 32 | two >> 32)) * kGoldenRatio;
  hash = (hash ^ hash >> 29) * 0xd6e8feb86659fd93ull;
  return static_cast<std::uint32_t>(hash >> 32);
}

struct Found {
  const NamedBlock* block = nullptr;
  bool known = true;  // false: there are blocks that were not looked at
};

Found find_block(std::uintptr_t address) {
  const std::uint32_t end = execution_places.block_count > kExamined ? execution_places.block_count - kExamined : 0;
  for (std::uint32_t i = execution_places.block_count; i > end; --i)
    if ((address - permanent_places.blocks[i - 1].begin) / kUnitBytes < permanent_places.blocks[i - 1].units)
      return {&permanent_places.blocks[i - 1], true};
  return {nullptr, end == 0 && execution_places.block_count < kMaxBlocks};
}

// Blocks from before names were wanted go by their address, as a name, not as a fixed place: they may be reallocated,
// and what is at an unknown place then is to be taken for the same.
std::uint32_t place_in_block(std::uintptr_t address) {
  const Found found = find_block(address);
  if (!found.known || (found.block != nullptr && found.block->name == 0)) return ObjectPlace::kUnknown;
  if (found.block == nullptr) return mixed(address, 0) | ObjectPlace::kNamed;
  return mixed(found.block->name, address - found.block->begin) | ObjectPlace::kNamed;
}

bool is_static(std::uintptr_t address) {
  for (unsigned i = 0; i < permanent_places.module_count; ++i)
    if (permanent_places.modules[i].contains(address)) return true;
  return false;
}

int note_module(dl_phdr_info* info, std::size_t, void*) {
  if (permanent_places.module_count == kMostModules) return 1;
  Range range{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (begin < range.begin) range.begin = begin;
    if (begin + segment.p_memsz > range.end) range.end = begin + segment.p_memsz;
  }
  permanent_places.modules[permanent_places.module_count++] = range;
  return 0;
}

// Objects of these kinds are found by their address alone, not by a mark in them.
bool outlives_its_block(ObjectKind kind) { return kind == ObjectKind::Futex || kind == ObjectKind::Memory; }

}  // namespace

void note_static_memory() { for_each_loaded_file(note_module, nullptr); }

void note_main_stack(const void* begin) { permanent_places.main_stack = reinterpret_cast<std::uintptr_t>(begin); }

void start_naming_places() {
  if (permanent_places.blocks == nullptr)
    permanent_places.blocks = static_cast<NamedBlock*>(os::reserve_or_die(sizeof(NamedBlock) * kMaxBlocks));
  execution_places.are_named = true;
  execution_places.block_count = 0;
}

void stop_naming_places() { execution_places.are_named = false; }

void name_block(const void* memory, std::size_t bytes, bool reallocated) {
  if (memory == nullptr || runtime.inside || execution_places.block_count == kMaxBlocks) return;
  const std::uint32_t name = reallocated ? 0 : mixed(current_task() + 1ull, ++current_data().allocations);
  permanent_places.blocks[execution_places.block_count++] = {
      reinterpret_cast<std::uintptr_t>(memory), static_cast<std::uint32_t>((bytes + kUnitBytes - 1) / kUnitBytes),
      name};
}

std::uint32_t place_of(ObjectKind kind, std::uint64_t address) {
  if (!execution_places.are_named || address == 0) return ObjectPlace::kUnknown;
  if (kind == ObjectKind::Descriptor) return ObjectPlace::kFixed;  // its "address" is a number
  if (in_heap(reinterpret_cast<const void*>(address)))
    return outlives_its_block(kind) ? ObjectPlace::kUnknown : place_in_block(address);
  const bool on_main_stack =
      address < permanent_places.main_stack && address >= permanent_places.main_stack - kMainStackBytes;
  return on_main_stack || is_task_stack(address) || is_static(address) ? ObjectPlace::kFixed : ObjectPlace::kUnknown;
}

}  // namespace heddle::runtime

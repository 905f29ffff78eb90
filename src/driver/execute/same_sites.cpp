// See same_sites.h.
#include "driver/execute/same_sites.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <utility>

#include "protocol/mix.h"
#include "trace/module_names.h"

namespace heddle {
namespace {

// Enough to be read in one go; what follows the end of an execution is translated again.
constexpr std::size_t kAtATime = 256;

template <typename Specific, typename Change>
void change(Record& record, Change&& how) {
  static_assert(sizeof(Specific) == sizeof(Record) && std::is_trivially_copyable_v<Specific>);
  auto specific = std::bit_cast<Specific>(record);
  how(specific);
  record = std::bit_cast<Record>(specific);
}

}  // namespace

std::uint32_t FileNumbers::of(const std::string& path) {
  const std::string_view name = file_name(path);
  const auto known = std::find(names_.begin(), names_.end(), name);
  const auto before = static_cast<std::uint32_t>(known - names_.begin());
  if (known != names_.end()) return before + 1;
  if (before == ModuleMap::kMaxNumbers) return 0;
  names_.emplace_back(name);
  return before + 1;
}

void SameSites::enter(ModuleMap at_start) {
  modules_ = std::move(at_start);
  known_ = true;
}

Site SameSites::of(Site site) const {
  if (site == 0) return 0;
  for (const ModuleMap::Entry& entry : modules_.entries()) {
    if (site < entry.begin || site >= entry.end || entry.number == 0) continue;
    const Site offset = site - entry.base;
    if (offset >> ModuleMap::kNumberShift != 0) break;
    return ModuleMap::kNumbered | Site{entry.number} << ModuleMap::kNumberShift | offset;
  }
  return site | ModuleMap::kUnplaced;
}

// What is at a fixed address has another one in the next process: variables go by their file then. Of what is left, on
// stacks, the first thread's is elsewhere each time; it may be the same as any other of its kind.
std::uint32_t SameSites::place_of(const ObjectRecord& object) const {
  if (object.place != ObjectPlace::kFixed || object.object_kind == ObjectKind::Descriptor) return object.place;
  std::uint64_t begin = object.address;
  if (object.object_kind == ObjectKind::Memory) begin &= ~std::uint64_t{kMemoryPiece - 1};
  const Site same = of(begin);
  if (!ModuleMap::is_numbered(same)) return ObjectPlace::kUnknown;
  return static_cast<std::uint32_t>(same * kGoldenRatio >> 33) | ObjectPlace::kNamed;
}

std::span<const Record> SameSites::translate(std::span<const Record> records) {
  translated_.assign(records.begin(),
                     records.begin() + static_cast<std::ptrdiff_t>(std::min(records.size(), kAtATime)));
  for (Record& record : translated_) {
    if (record.kind == RecordKind::Step) {
      change<StepRecord>(record, [&](StepRecord& step) { step.site = of(step.site); });
    } else if (record.kind == RecordKind::Object) {
      change<ObjectRecord>(record, [&](ObjectRecord& object) {
        object.created_at = of(object.created_at);
        object.place = place_of(object);
      });
    } else if (record.kind == RecordKind::Stack) {
      change<StackRecord>(record, [&](StackRecord& stack) {
        for (unsigned i = 0; i < stack.count && i < StackRecord::kCapacity; ++i) stack.sites[i] = of(stack.sites[i]);
      });
    } else if (record.kind == RecordKind::Pending) {
      change<PendingRecord>(record, [&](PendingRecord& pending) {
        pending.site = of(pending.site);
        pending.held_since = of(pending.held_since);
      });
    }
  }
  return translated_;
}

}  // namespace heddle

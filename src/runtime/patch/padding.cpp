// See padding.h. Format of the table: .eh_frame_hdr and .eh_frame of the Linux Standard Base, Core 5.0, 10.6; only in
// the encodings that linkers write for x86-64. What is written otherwise has no padding.
#include "runtime/patch/padding.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace heddle::runtime {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFromHere = 0x1b;      // 4 bytes, signed, from their own address
constexpr std::uint8_t kCount = 0x03;         // 4 bytes
constexpr std::uint8_t kFromHeader = 0x3b;    // 4 bytes, signed, from the header
constexpr std::int64_t kReach = 128;          // of a short jump, backwards; forwards one less
constexpr std::int64_t kLargestPadding = 64;  // what is larger is something else

struct Header {
  std::uint8_t version, frames_encoding, count_encoding, table_encoding;
  std::int32_t frames;
  std::uint32_t count;
};
struct Entry {
  std::int32_t function, description;  // both from the header
};
// The beginning of what describes a function.
struct Description {
  std::uint32_t length, common;
  std::int32_t function;  // from here
  std::uint32_t size;
};

class Functions {
 public:
  explicit Functions(Site site) {
    dl_find_object object{};
    if (_dl_find_object(reinterpret_cast<void*>(site), &object) != 0 || object.dlfo_eh_frame == nullptr) return;
    base_ = reinterpret_cast<Site>(object.dlfo_eh_frame);
    const auto& header = *static_cast<const Header*>(object.dlfo_eh_frame);
    if (header.version != kVersion || header.frames_encoding != kFromHere || header.count_encoding != kCount ||
        header.table_encoding != kFromHeader)
      return;
    entries_ = reinterpret_cast<const Entry*>(&header + 1);
    count_ = header.count;
  }
  std::size_t count() const { return count_; }
  Site begin(std::size_t index) const { return base_ + static_cast<Site>(std::int64_t{entries_[index].function}); }
  // 0: not known.
  Site end(std::size_t index) const {
    const Site at = base_ + static_cast<Site>(std::int64_t{entries_[index].description});
    Description description;
    memcpy(&description, reinterpret_cast<const void*>(at), sizeof description);
    const Site function = at + offsetof(Description, function) + static_cast<Site>(std::int64_t{description.function});
    return function == begin(index) ? function + description.size : 0;
  }
  // Of the first function behind the address.
  std::size_t behind(Site address) const {
    const auto* const found =
        std::upper_bound(entries_, entries_ + count_, address, [this](Site wanted, const Entry& entry) {
          return wanted < base_ + static_cast<Site>(std::int64_t{entry.function});
        });
    return static_cast<std::size_t>(found - entries_);
  }

 private:
  Site base_ = 0;
  const Entry* entries_ = nullptr;
  std::size_t count_ = 0;
};

// What assemblers fill gaps with: `int3`, and `nop` in its longer forms.
bool fills_gaps(Site address) {
  constexpr std::uint8_t kBytes[] = {0x00, 0x0f, 0x1f, 0x2e, 0x40, 0x44, 0x66, 0x80, 0x84, 0x90, 0xcc};
  const std::uint8_t byte = *reinterpret_cast<const std::uint8_t*>(address);
  return std::find(std::begin(kBytes), std::end(kBytes), byte) != std::end(kBytes);
}

bool is_padding(Site begin, Site end) {
  for (Site at = begin; at < end; ++at)
    if (!fills_gaps(at)) return false;
  return true;
}

bool reaches(Site from, Site to) {
  const auto distance = static_cast<std::int64_t>(to - from);
  return distance >= -kReach && distance < kReach;
}

// Between this function and the next one.
Site padding_behind(const Functions& functions, std::size_t index, Site from, std::size_t size) {
  const Site begin = functions.end(index), end = functions.begin(index + 1);
  if (begin == 0 || end < begin + size || end - begin > kLargestPadding || !is_padding(begin, end)) return 0;
  return reaches(from, begin) ? begin : 0;
}

}  // namespace

Site find_padding(Site from, std::size_t size) {
  const Functions functions(from);
  const std::size_t behind = functions.behind(from - 1);
  if (behind == 0 || behind == functions.count() || from > functions.end(behind - 1)) return 0;
  for (std::size_t next = behind; next < functions.count(); ++next) {
    if (const Site found = padding_behind(functions, next - 1, from, size); found != 0) return found;
    if (!reaches(from, functions.begin(next))) break;
  }
  for (std::size_t next = behind - 1; next > 0 && reaches(from, functions.begin(next)); --next)
    if (const Site found = padding_behind(functions, next - 1, from, size); found != 0) return found;
  return 0;
}

}  // namespace heddle::runtime

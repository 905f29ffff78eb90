// See functions.h. Format of the table: .eh_frame_hdr and .eh_frame of the Linux Standard Base, Core 5.0, 10.6; only in
// the encodings that linkers write for x86-64.
#include "runtime/patch/functions.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace heddle::runtime {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kFromHere = 0x1b;    // 4 bytes, signed, from their own address
constexpr std::uint8_t kCount = 0x03;       // 4 bytes
constexpr std::uint8_t kFromHeader = 0x3b;  // 4 bytes, signed, from the header

struct Header {
  std::uint8_t version, frames_encoding, count_encoding, table_encoding;
  std::int32_t frames;
  std::uint32_t count;
};
// The beginning of what describes a function.
struct Description {
  std::uint32_t length, common;  // `common`: so far before itself lies what several functions share
  std::int32_t function;         // from here
  std::uint32_t size;
};
constexpr std::size_t kAugmentation = 9;  // in what they share: a string behind length, identity and version

Description read_description(Site at) {
  Description description;
  memcpy(&description, reinterpret_cast<const void*>(at), sizeof description);
  return description;
}

}  // namespace

Functions::Functions(Site site) {
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

Site Functions::end(std::size_t index) const {
  const Site at = description(index);
  const Description described = read_description(at);
  const Site function = at + offsetof(Description, function) + static_cast<Site>(std::int64_t{described.function});
  return function == begin(index) ? function + described.size : 0;
}

bool Functions::has_landing_pads(std::size_t index) const {
  const Site at = description(index);
  const Site common = at + offsetof(Description, common) - read_description(at).common;
  return strchr(reinterpret_cast<const char*>(common + kAugmentation), 'L') != nullptr;
}

std::size_t Functions::behind(Site address) const {
  const auto* const found =
      std::upper_bound(entries_, entries_ + count_, address, [this](Site wanted, const Entry& entry) {
        return wanted < base_ + static_cast<Site>(std::int64_t{entry.function});
      });
  return static_cast<std::size_t>(found - entries_);
}

}  // namespace heddle::runtime

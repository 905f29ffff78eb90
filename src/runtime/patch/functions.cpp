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

constexpr std::uint8_t kOmitted = 0xff;
constexpr std::uint8_t kVariable = 0x01;  // LEB128
constexpr std::uint8_t kAbsolute = 0x03;  // 4 bytes
constexpr std::uint8_t kIndirect = 0x80;  // the address of the pointer

// Reads what the tables are made of (Linux Standard Base, Core 5.0, 10.5 and 10.6; DWARF 4, 7.6).
class TableReader {
 public:
  explicit TableReader(Site at) : at_(at) {}
  Site here() const { return at_; }
  bool understood() const { return understood_; }
  unsigned char byte() { return *reinterpret_cast<const unsigned char*>(at_++); }
  // Of so many bytes as it takes; its sign is not looked at.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned char part = byte();
      if (shift < 64) value |= std::uint64_t{part & 0x7fu} << shift;
      if ((part & 0x80) == 0) return value;
    }
  }
  // 0: there is none.
  Site pointer(unsigned char encoding) {
    std::int32_t value = 0;
    memcpy(&value, reinterpret_cast<const void*>(at_), sizeof value);
    const Site from = at_;
    at_ += sizeof value;
    if (encoding != kFromHere && encoding != kAbsolute) understood_ = false;
    if (value == 0) return 0;
    return encoding == kFromHere ? from + static_cast<Site>(std::int64_t{value}) : static_cast<std::uint32_t>(value);
  }

 private:
  Site at_;
  bool understood_ = true;
};

// How descriptions say where the table of landing pads lies; kOmitted: they don't. `shared`: at the augmentation.
unsigned char encoding_of_places(TableReader shared) {
  const char* const letters = reinterpret_cast<const char*>(shared.here());
  if (letters[0] == '\0') return kOmitted;
  for (const char* letter = letters; *letter != '\0'; ++letter) shared.byte();
  shared.byte();    // the end of the letters
  shared.number();  // of code, of data, the register of the return address, how much follows
  shared.number();
  shared.number();
  shared.number();
  for (const char* letter = letters; *letter != '\0'; ++letter) {
    if (*letter == 'L') return shared.byte();
    if (*letter == 'R') shared.byte();
    if (*letter == 'P') shared.pointer(shared.byte() & ~kIndirect);
  }
  return kOmitted;
}

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

bool Functions::for_each_landing_pad(std::size_t index, void (*visit)(Site, void*), void* argument) const {
  const Site at = description(index);
  TableReader shared(at + offsetof(Description, common) - read_description(at).common + kAugmentation);
  const unsigned char encoding = encoding_of_places(shared);
  if (encoding == kOmitted) return true;
  TableReader own(at + sizeof(Description));
  own.number();  // how much follows
  TableReader places(own.pointer(encoding));
  if (!own.understood()) return false;
  if (places.here() == 0) return true;  // none of its own
  const unsigned char start = places.byte(), types = places.byte();
  if (types != kOmitted) places.number();
  const unsigned char calls = places.byte();
  const std::uint64_t bytes = places.number();
  if (start != kOmitted || calls != kVariable) return false;
  for (const Site end = places.here() + bytes; places.here() < end;) {
    places.number();  // the calls: where they begin,
    places.number();  // how many bytes they take
    const std::uint64_t place = places.number();
    places.number();  // what happens there
    if (place != 0) visit(begin(index) + place, argument);
  }
  return true;
}

std::size_t Functions::behind(Site address) const {
  const auto* const found =
      std::upper_bound(entries_, entries_ + count_, address, [this](Site wanted, const Entry& entry) {
        return wanted < base_ + static_cast<Site>(std::int64_t{entry.function});
      });
  return static_cast<std::size_t>(found - entries_);
}

}  // namespace heddle::runtime

// See padding.h.
#include "runtime/patch/padding.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "runtime/patch/functions.h"

namespace heddle::runtime {
namespace {

constexpr std::int64_t kReach = 128;          // of a short jump, backwards; forwards one less
constexpr std::int64_t kLargestPadding = 64;  // what is larger is something else

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

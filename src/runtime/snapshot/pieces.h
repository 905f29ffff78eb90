// The pieces of a page: each is compared and copied as a whole when memory is restored (restore_pages.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/page.h"

namespace heddle::runtime {

inline constexpr std::size_t kPieceBytes = 256;
using PagePieces = std::uint16_t;  // a set of pieces of a page: a bit for each
static_assert(kPageBytes / kPieceBytes == 8 * sizeof(PagePieces));

}  // namespace heddle::runtime

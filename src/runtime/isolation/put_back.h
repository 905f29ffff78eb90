// Puts a page back to what it was: the inner loop of restoring a snapshot.
//
// An execution writes to few lines of a page, but we don't know which. To compare costs less than to copy, since what
// is equal stays clean and need not go back to the second level cache; and where the page was zero nothing but the page
// itself has to be read. So a page is looked at in pieces of 256 bytes, and with its saved copy comes a bit for each
// piece that is zero. Per page: 90 ns copied by `rep movsb`, 75 ns compared, 38 ns compared with zero.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

inline constexpr std::size_t kPageBytes = 4096;
using ZeroPieces = std::uint16_t;  // a bit for each piece of a page

ZeroPieces zero_pieces(const void* page);
// `saved` is aligned to 32 bytes; `zero` says which of its pieces are zero, or is 0.
void put_back_page(void* page, const void* saved, ZeroPieces zero);

}  // namespace heddle::runtime

// Restores a page: the inner loop of restoring a snapshot, and of saving what differs from it.
//
// An execution writes to few lines of a page, but we don't know which. To compare costs less than to copy: equal lines
// stay clean and need not go back to the second level cache, and for a page that was zero nothing but the page itself
// is read. So a page is compared in pieces of 256 bytes, and its saved copy has a bit for each piece that is zero. Per
// page, with vectors of 32 bytes: 90 ns copied by `rep movsb`, 75 ns compared, 38 ns compared with zero. A checkpoint
// keeps only those pieces of a page that differ from the saved copy.
#pragma once

#include "runtime/snapshot/pieces.h"

namespace heddle::runtime {

PagePieces zero_pieces(const void* page);

// `saved` is aligned to 64 bytes; `zero` says which of its pieces are zero, or is 0.
void restore_page(void* page, const void* saved, PagePieces zero);
// Copies the pieces of the page that are not as in `saved` to `kept`, one behind the other, and moves `kept` behind
// them. Which they are.
PagePieces keep_different(const void* page, const void* saved, PagePieces zero, char*& kept);
// Puts the page back to what it was then, and moves `kept` behind its pieces. Both are aligned as `saved`.
void restore_kept(void* page, const void* saved, PagePieces zero, PagePieces different, const char*& kept);

// Copies what lies in its lines of 64 bytes where the original does. By vectors that takes half as long as by
// `rep movsb` where it is a few kilobytes, and what is read next need not wait for it.
void copy_alike(void* to, const void* from, std::size_t bytes);

// How it is done on this processor; for tests, how else it could be.
enum class RestoreMethod : std::uint8_t { Words, Avx2 };
RestoreMethod best_restore_method();
void use_restore_method(RestoreMethod method);

}  // namespace heddle::runtime

// Memory on which races do no harm, as the program says (ANNOTATE_BENIGN_RACE and the like).
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

// Beyond a few hundred ranges nothing is added: races there are reported.
void add_benign(std::uintptr_t begin, std::size_t size);
// Does it touch one of them?
bool is_benign(std::uintptr_t address, std::size_t size);

}  // namespace heddle::runtime

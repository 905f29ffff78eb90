// Room between the functions of a library: bytes that are there for alignment only and are never run.
#pragma once

#include <cstddef>

#include "protocol/operations.h"

namespace heddle::runtime {

// Where `size` such bytes lie that a jump of two bytes can reach which ends at `from`; 0: nowhere. What lies between
// functions is known from the table by which exceptions are unwound. Those that were found once are to be written to:
// they are not found again.
Site find_padding(Site from, std::size_t size);

}  // namespace heddle::runtime

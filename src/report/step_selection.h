// Which steps of an execution a page shows: those that matter for what went wrong. The steps between them are folded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/document.h"
#include "trace/execution.h"

namespace heddle {

// A stretch of steps, [first, last): shown one by one, folded into one line, or left out as saying nothing by
// themselves.
struct Stretch {
  std::size_t first;
  std::size_t last;
  enum class How { Shown, Folded, Hidden } how;
};

// `always`: steps that are shown in any case. Brief: without the beginnings and ends of threads; all others that
// matter, since the page makes few lines of them.
std::vector<Stretch> select_steps(const Execution& execution, const std::vector<std::uint32_t>& always = {},
                                  Detail detail = Detail::Full);

}  // namespace heddle

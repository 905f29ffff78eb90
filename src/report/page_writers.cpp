// See page_writers.h.
#include "report/page_writers.h"

namespace heddle {

std::span<const PageWriter> page_writers() {
  static constexpr PageWriter kWriters[] = {
#define PAGE_WRITER(name, function, detail, help) {name, function, Detail::detail, help},
#include "report/page_writers.def"
#undef PAGE_WRITER
  };
  return kWriters;
}

}  // namespace heddle

// See search_name.h.
#include "driver/explore/search_name.h"

namespace heddle {

const char* search_name(SearchKind search) {
  switch (search) {
    case SearchKind::Random:
      return "random";
    case SearchKind::Dpor:
      return "dpor";
    case SearchKind::Bounded:
      break;
  }
  return "bounded";
}

}  // namespace heddle

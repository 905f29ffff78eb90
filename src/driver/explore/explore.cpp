// See explore.h.
#include "driver/explore/explore.h"

#include "driver/explore/explorer.h"
#include "driver/process/scratch.h"

namespace heddle {

Report run(const Target& target, const RunOptions& options, Observer& observer, SavedSearch* saved) {
  remove_stale_scratch();
  return Explorer(target, as_saved(options, saved), observer, saved).run();
}

}  // namespace heddle

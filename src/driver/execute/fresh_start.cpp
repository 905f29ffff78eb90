// See fresh_start.h.
#include "driver/execute/fresh_start.h"

#include <utility>

#include "driver/execute/plan_ids.h"
#include "trace/assert.h"

namespace heddle {

void FreshStart::begin(const Isolation& isolation, const Plan& plan, unsigned times) {
  HEDDLE_ASSERT(!under_way(), "the program is started once more only once");
  process_ = std::make_unique<PinnedWorker>(launch_, isolation, times);
  for (unsigned i = 1; i <= times; ++i) {
    Plan again = plan;
    again.id = kCheckFlag | i;
    again.afresh = true;
    process_->worker.submit(std::move(again));
  }
}

std::optional<LentExecution> FreshStart::poll() {
  auto event = process_->worker.poll(std::chrono::milliseconds(0));
  if (!event) return std::nullopt;
  auto* finished = std::get_if<ExecutionFinished>(&*event);
  if (finished != nullptr && process_->worker.outstanding() != 0) return std::nullopt;
  std::optional<LentExecution> last;
  if (finished != nullptr) last = std::move(finished->execution);
  process_.reset();
  return last;
}

void FreshStart::abandon() {
  if (process_ == nullptr) return;
  process_.reset();
  settled_ = false;
}

}  // namespace heddle

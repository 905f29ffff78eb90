// An execution on loan. The session that decoded it lends it. It goes back by itself when its last holder drops it,
// because the next execution may share its beginning (trace/decode.h) and reuses its memory. So a holder leaves it
// unchanged, drops it before asking for the next event, and copies what it wants to keep.
#pragma once

#include <memory>
#include <utility>

#include "trace/execution.h"

namespace heddle {

// Where it goes back to. Outlives the session where an execution is still out then.
class LoanDesk {
 public:
  // One at a time: what was lent before and comes back later is nobody's any more.
  void lend(const Execution& execution) { lent_ = &execution; }
  void give_back(std::unique_ptr<Execution> execution) {
    if (execution.get() == lent_) returned_ = std::move(execution);
  }
  // What has come back; null: nothing. After this, what was lent comes too late.
  std::unique_ptr<Execution> take() {
    lent_ = nullptr;
    return std::move(returned_);
  }

 private:
  const Execution* lent_ = nullptr;
  std::unique_ptr<Execution> returned_;
};

class LentExecution {
 public:
  // None.
  LentExecution() = default;
  LentExecution(std::unique_ptr<Execution> execution, std::shared_ptr<LoanDesk> desk)
      : execution_(std::move(execution)), desk_(std::move(desk)) {
    desk_->lend(*execution_);
  }
  LentExecution(LentExecution&&) noexcept = default;
  LentExecution& operator=(LentExecution&& other) noexcept {
    give_back();
    execution_ = std::move(other.execution_);
    desk_ = std::move(other.desk_);
    return *this;
  }
  ~LentExecution() { give_back(); }

  Execution& operator*() const { return *execution_; }
  Execution* operator->() const { return execution_.get(); }

 private:
  void give_back() {
    if (execution_ != nullptr) desk_->give_back(std::move(execution_));
  }

  std::unique_ptr<Execution> execution_;
  std::shared_ptr<LoanDesk> desk_;
};

}  // namespace heddle

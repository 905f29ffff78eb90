// See not_sequential.h.
#include "analysis/not_sequential.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "protocol/dependence.h"

namespace heddle {
namespace {

using K = OperationKind;

// What must come before what, by steps. Edges that are not drawn hide cycles, and make none.
class Order {
 public:
  explicit Order(const Execution& execution, const std::vector<OldValue>& old) : execution_(execution) {
    successors_.resize(execution.steps.size());
    for (const OldValue& one : old) old_[one.step] = one;
    for (std::size_t i = 0; i < execution.steps.size(); ++i) add(i);
    for (const auto& [at, stores] : stores_)
      for (std::size_t i = 0; i + 1 < stores.size(); ++i) successors_[stores[i]].push_back(stores[i + 1]);
    for (const Read& read : reads_) add_from_read(read);
  }

  bool has_cycle() const {
    std::vector<std::size_t> before(successors_.size(), 0);
    for (const auto& all : successors_)
      for (const std::size_t next : all) ++before[next];
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] == 0) free.push_back(i);
    std::size_t taken = 0;
    for (; !free.empty(); ++taken) {
      const std::size_t one = free.back();
      free.pop_back();
      for (const std::size_t next : successors_[one])
        if (--before[next] == 0) free.push_back(next);
    }
    return taken != successors_.size();
  }

 private:
  using Location = std::pair<ObjectId, std::uint8_t>;
  // A step that changed it last, and those that have looked at it since.
  struct Object {
    std::optional<std::size_t> written;
    std::vector<std::size_t> looked_at;
  };
  struct Read {
    std::size_t step;
    std::optional<std::size_t> from;
    Location location;
  };

  void add(std::size_t i) {
    const StepRecord& step = execution_.steps[i];
    follow(last_of_task_, step.task, i);
    if (!is_atomic(step)) {
      const bool wrote = (step.flags & StepFlags::Wrote) != 0;
      return add_access(access_of(step.operation, step.object, step.object2, wrote), i);
    }
    const Location location{step.object, offset_of(step)};
    std::vector<std::size_t>& stores = stores_[location];
    const auto old = old_.find(i);
    const bool unknown = old != old_.end() && !old->second.known;
    if (step.operation != K::AtomicStore && !unknown) {
      const std::optional<std::size_t> newest = stores.empty() ? std::nullopt : std::optional(stores.back());
      reads_.push_back({i, old != old_.end() && !old->second.is_store ? old->second.read : newest, location});
    }
    if (!is_atomic_store(step)) return;
    if (old != old_.end() && old->second.is_store)
      stores.insert(std::find(stores.begin(), stores.end(), old->second.missed), i);
    else
      stores.push_back(i);
  }

  // The library's objects, and plain memory, are sequentially consistent.
  void add_access(const Access& access, std::size_t i) {
    if (access.object == kNoObject) return;
    Object& object = objects_[access.object];
    if (object.written) successors_[*object.written].push_back(i);
    if (!access.wrote) return object.looked_at.push_back(i);
    for (const std::size_t step : object.looked_at) successors_[step].push_back(i);
    object = {i, {}};
  }

  template <typename Key>
  void follow(std::map<Key, std::size_t>& last, Key key, std::size_t i) {
    const auto [found, first] = last.try_emplace(key, i);
    if (!first) successors_[std::exchange(found->second, i)].push_back(i);
  }

  // What it has read comes before it, and the next store behind it.
  void add_from_read(const Read& read) {
    const std::vector<std::size_t>& stores = stores_[read.location];
    auto next = stores.begin();
    if (read.from) {
      successors_[*read.from].push_back(read.step);
      next = std::find(stores.begin(), stores.end(), *read.from) + 1;
    }
    if (next != stores.end() && *next == read.step) ++next;  // its own
    if (next != stores.end()) successors_[read.step].push_back(*next);
  }

  const Execution& execution_;
  std::vector<std::vector<std::size_t>> successors_;
  std::map<std::size_t, OldValue> old_;
  std::map<TaskId, std::size_t> last_of_task_;
  std::map<ObjectId, Object> objects_;
  std::map<Location, std::vector<std::size_t>> stores_;  // in modification order
  std::vector<Read> reads_;
};

}  // namespace

std::optional<OldValue> not_sequential(const Execution& execution) {
  const std::vector<OldValue> old = old_values(execution);
  if (old.empty() || !Order(execution, old).has_cycle()) return {};
  return old.back();
}

}  // namespace heddle

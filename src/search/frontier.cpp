// See frontier.h.
#include "search/frontier.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "protocol/assert.h"

namespace heddle {

FrontierEntry Bin::take() {
  HEDDLE_ASSERT(pending() != 0, "an entry is taken only from a bin that has one");
  constexpr std::size_t kWorthwhile = 1u << 16;  // entries that are gone: their memory is given back
  if (!stack.empty()) {
    const FrontierEntry entry = stack.back();
    stack.pop_back();
    return entry;
  }
  const FrontierEntry entry = queue[queue_taken++];
  const std::uint64_t now = run + outstanding;
  if (begun != 0) tree_sizes.add(static_cast<double>(now - run_before));
  run_before = now;
  ++begun;
  if (queue_taken == queue.size() || (queue_taken >= kWorthwhile && 2 * queue_taken >= queue.size())) {
    queue = LargeVector<FrontierEntry>(queue.begin() + static_cast<std::ptrdiff_t>(queue_taken), queue.end());
    queue_taken = 0;
  }
  return entry;
}

// --- plans

Next Frontier::next() {
  for (; current_ < bins_.size(); ++current_) {
    Bin& bin = bins_[current_];
    if (bin.to_begin == 0) bin.to_begin = bin.queue.size();
    if (bin.pending() != 0) {
      const FrontierEntry entry = bin.take();
      nodes_.prefetch(bin.next_node());
      return hand_out(entry);
    }
    if (bin.outstanding != 0) return Wait();
  }
  return Exhausted();
}

Next Frontier::hand_out(const FrontierEntry& entry) {
  const bool revisit = entry.purpose() == Purpose::Revisit;
  const NodeId id = revisit ? entry.node : nodes_.add(entry.node, entry.step, entry.choice());
  leaves_ -= revisit ? 0 : 1;
  const Outstanding outstanding{id, static_cast<unsigned>(current_ - (revisit ? 1 : 0)), entry.purpose()};
  Next next(std::in_place_type<Plan>);
  Plan& plan = std::get<Plan>(next);
  plan.id = next_plan_++;
  nodes_.write_to(plan.deltas, id);
  outstanding_.insert(plan.id, outstanding);
  ++bins_[current_].outstanding;
  return next;
}

Frontier::Outstanding Frontier::take_back(PlanId plan) {
  const auto outstanding = outstanding_.take(plan);
  if (!outstanding) return {};
  HEDDLE_ASSERT(bins_[outstanding->bin()].outstanding != 0, "what comes back was handed out from its bin");
  --bins_[outstanding->bin()].outstanding;
  return *outstanding;
}

bool Frontier::followed(const Execution& execution, NodeId id) const {
  const Deviations::Node& node = nodes_[id];
  if (node.step == kRootStep) return true;
  if (node.step >= execution.steps.size()) return false;
  const StepRecord& step = execution.steps[node.step];
  return Choice{step.task, step.variant} == node.choice;
}

void Frontier::withdraw(std::size_t bin) {
  ++lost_;
  lost_from_ = std::min(lost_from_, bin);
}

// --- schedules

void Frontier::push(NodeId parent, std::uint32_t step, Choice choice, unsigned bound, Purpose purpose) {
  if (in_use() >= kMaxNodes) return withdraw(bound);
  current_ = std::min<std::size_t>(current_, bound);
  nodes_.refer_to(parent);
  ++leaves_;
  enqueue(FrontierEntry::of(parent, step, choice, purpose), bound);
}

void Frontier::push_revisit(NodeId node, std::size_t bin) {
  nodes_.refer_to(node);
  enqueue(FrontierEntry::of(node, 0, {}, Purpose::Revisit), bin);
}

void Frontier::enqueue(const FrontierEntry& entry, std::size_t bin) {
  if (bin >= bins_.size()) bins_.resize(bin + 1u);
  Bin& own = bins_[bin];
  (bin == current_ ? own.stack : own.queue).push_back(entry);
}

void Frontier::turn_round(std::size_t bin, std::size_t group) {
  if (bin >= bins_.size()) return;
  auto& queue = bins_[bin].queue;
  std::reverse(queue.begin() + static_cast<std::ptrdiff_t>(group), queue.end());
}

void Frontier::restart() {
  nodes_ = {};
  leaves_ = 0;
  bins_.clear();
  current_ = 0;
  outstanding_ = {};
  lost_ = 0;
  lost_from_ = std::numeric_limits<std::size_t>::max();
  push(kNone, kRootStep, {}, 0);
}

// --- what is known by it

Coverage Frontier::coverage() const {
  Coverage coverage;
  const auto first_open = std::find_if_not(bins_.begin(), bins_.end(), [](const Bin& bin) { return bin.done(); });
  const auto cleared = static_cast<std::size_t>(first_open - bins_.begin());
  const std::size_t proved = std::min(cleared, lost_from_);  // every bound below this
  coverage.complete = first_open == bins_.end() && lost_ == 0;
  coverage.bound_proved = static_cast<int>(proved) - 1;
  coverage.schedules_at_bound =
      std::accumulate(bins_.begin(), bins_.begin() + static_cast<std::ptrdiff_t>(proved), std::uint64_t{0},
                      [](std::uint64_t sum, const Bin& bin) { return sum + bin.run; });
  coverage.lost = lost_;
  for (const Bin& bin : bins_) coverage.pending += bin.pending() + bin.outstanding;
  coverage.bound_in_progress = static_cast<int>(std::min(cleared, bins_.size() - 1));
  return coverage;
}

// What lower bins left to this one are roots of trees, whose size is known when all that they bring has been run. The
// estimate is that those to come are on average as large as those begun. (Not so for the first bin, which has one
// root.)
double Frontier::estimated_total() const {
  if (current_ == 0 || current_ >= bins_.size()) return 0;
  const Bin& bin = bins_[current_];
  if (bin.begun == 0) return 0;
  const auto below = std::accumulate(bins_.begin(), bins_.begin() + static_cast<std::ptrdiff_t>(current_), 0.0,
                                     [](double sum, const Bin& lower) { return sum + static_cast<double>(lower.run); });
  const auto of_begun = static_cast<double>(bin.run + bin.outstanding + bin.stack.size());
  return below + of_begun * static_cast<double>(bin.to_begin) / static_cast<double>(bin.begun);
}

// Three times the standard error of what is still to come.
double Frontier::estimated_spread() const {
  constexpr std::size_t kFewest = 8;  // the differences between fewer parts say little
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const double total = estimated_total();
  if (total <= 0) return 1;
  const Bin& bin = bins_[current_];
  if (bin.tree_sizes.batches() < kFewest) return kUnknown;
  const double part = 3 * bin.tree_sizes.error() * static_cast<double>(bin.to_begin - bin.begun) / total;
  return part < 1 ? 1 / (1 - part) : kUnknown;
}

std::size_t Frontier::bytes() const {
  const auto entries = std::accumulate(bins_.begin(), bins_.end(), std::size_t{0},
                                       [](std::size_t sum, const Bin& bin) { return sum + bin.pending(); });
  return nodes_.in_use() * Deviations::bytes_each() + entries * sizeof(FrontierEntry);
}

// --- resume

void Frontier::save(StateWriter& writer) const {
  transfer(*this, writer);
  std::vector<std::pair<NodeId, Purpose>> again;
  for (const auto& [plan, outstanding] : outstanding_.all()) again.emplace_back(outstanding.node, outstanding.purpose);
  writer(again);
}

// What was outstanding is of the current bin, and comes first.
bool Frontier::restore(StateReader& reader) {
  transfer(*this, reader);
  std::vector<std::pair<NodeId, Purpose>> again;
  reader(again);
  if (reader.failed() || (!again.empty() && current_ >= bins_.size())) return false;
  std::for_each(again.rbegin(), again.rend(), [this](const auto& one) { requeue(one.first, one.second); });
  return true;
}

// A schedule that was handed out, and the reference to its node.
void Frontier::requeue(NodeId id, Purpose purpose) {
  const Deviations::Node node = nodes_[id];
  const bool revisit = purpose == Purpose::Revisit;
  bins_[current_].stack.push_back(FrontierEntry::of(revisit ? id : node.parent, node.step, node.choice, purpose));
  if (revisit) return;
  nodes_.refer_to(node.parent);
  nodes_.release(id);
  ++leaves_;
}

}  // namespace heddle

// See frontier.h.
#include "search/frontier.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "protocol/assert.h"

namespace heddle {

namespace {

// Entries of the greatest ranks go to the file, until so many have.
void write_pages(std::map<Rank, Bin>& bins, FrontierFile& file, std::size_t wanted) {
  for (auto at = bins.rbegin(); at != bins.rend() && wanted != 0; ++at) {
    wanted -= std::min(wanted, at->second.queue.write(file, wanted));
    wanted -= std::min(wanted, at->second.stack.write(file, wanted));
  }
}

Rank rank_of(Frontier::Order order, unsigned bound, const Cost& cost) {
  if (order == Frontier::Order::ByBound) return {{}, bound};
  return {order == Frontier::Order::ByCost ? cost : Cost{-std::int64_t{bound}}, bound};
}

}  // namespace

void BoundTally::begin_next() {
  const std::uint64_t now = run + outstanding;
  if (begun != 0) tree_sizes.add(static_cast<double>(now - run_before));
  run_before = now;
  ++begun;
}

// --- plans

Next Frontier::next() {
  if (order_ == Order::ByCost && out_ >= std::max(kFewestOut, handed_out_ / kOut)) return Wait();
  if (const std::size_t wanted = file_.due(leaves_); wanted != 0) {
    write_pages(bins_, file_, wanted);
    file_.was_due(leaves_);
  }
  for (auto at = bins_.lower_bound(current_); at != bins_.end();) {
    Bin& bin = at->second;
    BoundTally& own = tallies_[at->first.bound];
    current_ = at->first;
    while (bin.must_read()) read_page(bin, at->first.bound);
    if (bin.pending() != 0) {
      if (own.to_begin == 0) own.to_begin = bin.queue.size();
      if (bin.stack.size() == 0) own.begin_next();
      const FrontierEntry entry = bin.take();
      --own.pending;
      nodes_.prefetch(bin.next_node());
      return hand_out(entry);
    }
    if (order_ == Order::ByBound && own.outstanding != 0) return Wait();
    if (latest_ == at) latest_ = bins_.end();
    at = bins_.erase(at);
  }
  return out_ == 0 ? Next(Exhausted()) : Next(Wait());
}

// What could not be read is lost.
void Frontier::read_page(Bin& bin, unsigned bound) {
  const PageBack back = bin.read(file_);
  if (back.lost == 0) return;
  leaves_ -= back.lost_leaves;
  tallies_[bound].pending -= back.lost;
  lost_ += back.lost - 1;
  withdraw(bound);
}

Next Frontier::hand_out(const FrontierEntry& entry) {
  const bool revisit = entry.purpose() == Purpose::Revisit;
  const NodeId id = revisit ? entry.node : nodes_.add(entry.node, entry.step, entry.choice());
  leaves_ -= revisit ? 0 : 1;
  const Outstanding outstanding{id, current_.bound - (revisit ? 1u : 0u), entry.purpose(), current_.cost};
  Next next(std::in_place_type<Plan>);
  Plan& plan = std::get<Plan>(next);
  plan.id = next_plan_++;
  nodes_.write_to(plan.deltas, id);
  outstanding_.insert(plan.id, outstanding);
  ++tallies_[current_.bound].outstanding;
  ++out_;
  ++handed_out_;
  return next;
}

Frontier::Outstanding Frontier::take_back(PlanId plan) {
  const auto outstanding = outstanding_.take(plan);
  if (!outstanding) return {};
  BoundTally& own = tallies_[outstanding->least()];
  HEDDLE_ASSERT(own.outstanding != 0, "what comes back was handed out and counted");
  --own.outstanding;
  --out_;
  return *outstanding;
}

bool followed(const Execution& execution, const Deviations::Node& node) {
  if (node.step == Deviations::kRootStep) return true;
  if (node.step >= execution.steps.size()) return false;
  const StepRecord& step = execution.steps[node.step];
  return Choice{step.task, step.variant} == node.choice;
}

void Frontier::withdraw(unsigned bound) {
  ++lost_;
  lost_from_ = std::min<std::size_t>(lost_from_, bound);
}

// --- schedules

void Frontier::push(NodeId parent, std::uint32_t step, Choice choice, unsigned bound, Purpose purpose,
                    const Cost& cost) {
  if (in_use() >= kMaxNodes) return withdraw(bound);
  nodes_.refer_to(parent);
  ++leaves_;
  enqueue(FrontierEntry::of(parent, step, choice, purpose), rank_of(order_, bound, cost));
}

void Frontier::push_revisit(NodeId node, unsigned bound) {
  nodes_.refer_to(node);
  enqueue(FrontierEntry::of(node, 0, {}, Purpose::Revisit), rank_of(order_, bound, kLastOfAll));
}

void Frontier::enqueue(const FrontierEntry& entry, const Rank& rank) {
  current_ = std::min(current_, rank);
  if (latest_ == bins_.end() || latest_->first != rank) latest_ = bins_.try_emplace(rank).first;
  Bin& own = latest_->second;
  if (order_ != Order::ByBound || rank == current_)
    own.stack.push(entry);
  else
    own.queue.push(entry);
  ++tallies_[rank.bound].pending;
}

std::size_t Frontier::queued(unsigned bound) const {
  const auto bin = bins_.find({{}, bound});
  return bin != bins_.end() ? bin->second.queue.mark() : 0;
}

void Frontier::turn_round(unsigned bound, std::size_t group) {
  const auto bin = bins_.find({{}, bound});
  if (order_ == Order::ByBound && bin != bins_.end()) bin->second.queue.turn_round(group);
}

// Neighbours share the beginnings of their deviations.
void Frontier::restart(const Subtrees& shard) {
  nodes_ = {};
  leaves_ = 0;
  bins_.clear();
  file_.clear();
  latest_ = bins_.end();
  tallies_ = {};
  current_ = {};
  outstanding_ = {};
  out_ = 0;
  lost_ = 0;
  lost_from_ = std::numeric_limits<std::size_t>::max();
  std::vector<NodeId> nodes;  // of the last one: the default schedule, then each of its deviations but the last
  const Deltas* last = nullptr;
  for (const Subtree& one : shard) {
    const Deltas& deltas = one.deltas;
    std::size_t same = 0;
    while (last != nullptr && same + 1 < last->size() && same + 1 < deltas.size() && (*last)[same] == deltas[same])
      ++same;
    if (deltas.empty()) {
      push(kNone, kRootStep, {}, one.preemptions);
      continue;
    }
    if (nodes.empty()) nodes.push_back(nodes_.add(kNone, kRootStep, {}));
    for (; nodes.size() > same + 1; nodes.pop_back()) nodes_.release(nodes.back());
    for (; same + 1 < deltas.size(); ++same) {
      nodes_.refer_to(nodes.back());
      nodes.push_back(nodes_.add(nodes.back(), deltas[same].step, deltas[same].choice));
    }
    push(nodes.back(), deltas.back().step, deltas.back().choice, one.preemptions);
    last = &deltas;
  }
  for (; !nodes.empty(); nodes.pop_back()) nodes_.release(nodes.back());
}

// --- what is known by it

Coverage BoundTallies::coverage(std::size_t lost_from) const {
  Coverage coverage;
  const auto first_open =
      std::find_if_not(tallies_.begin(), tallies_.end(), [](const BoundTally& bound) { return bound.done(); });
  const auto cleared = static_cast<std::size_t>(first_open - tallies_.begin());
  const std::size_t proved = std::min(cleared, lost_from);  // every bound below this
  coverage.complete = first_open == tallies_.end();
  coverage.bound_proved = static_cast<int>(proved) - 1;
  coverage.schedules_at_bound = run_below(proved);
  coverage.next_bound = size_of_next(proved);
  for (const BoundTally& bound : tallies_) coverage.pending += bound.pending + bound.outstanding;
  coverage.bound_in_progress = static_cast<int>(std::min(cleared, tallies_.size() - 1));
  return coverage;
}

// From bound to bound their number grows by a factor that becomes smaller: for choices of k among many places, by k
// parts of k + 1. How much it became smaller the last time says the same of this program. The estimate is between the
// two; it is mostly within a factor of ten (estimate_test.cpp).
double BoundTallies::size_of_next(std::size_t proved) const {
  constexpr double kMany = 64;
  if (proved < 3 || proved > tallies_.size()) return 0;
  const auto run_of = [&](std::size_t bound) { return static_cast<double>(tallies_[bound].run); };
  const double first = run_of(proved - 3), second = run_of(proved - 2), third = run_of(proved - 1);
  if (first < 1 || second < 1 || third < kMany) return 0;
  const double growth = third / second, change = growth / (second / first);
  const auto bound = static_cast<double>(proved);
  return third * growth * std::sqrt(change * (bound - 1) / bound);
}

std::uint64_t BoundTallies::run_below(std::size_t bound) const {
  return std::accumulate(tallies_.begin(), tallies_.begin() + static_cast<std::ptrdiff_t>(bound), std::uint64_t{0},
                         [](std::uint64_t sum, const BoundTally& one) { return sum + one.run; });
}

std::vector<std::uint64_t> BoundTallies::run() const {
  std::vector<std::uint64_t> result;
  for (const BoundTally& bound : tallies_) result.push_back(bound.run);
  return result;
}

Coverage Frontier::coverage() const {
  Coverage coverage = tallies_.coverage(lost_from_);
  coverage.complete = coverage.complete && lost_ == 0;
  coverage.lost = lost_;
  return coverage;
}

// What lower bins left to this one are roots of trees, whose size is known when all that they bring has been run. The
// estimate is that those to come are on average as large as those begun. (Not so for the first bin, which has one
// root.)
double Frontier::estimated_total() const {
  const BoundTally* const bound = tallies_.find(current_.bound);
  const auto bin = bins_.find(current_);
  if (order_ != Order::ByBound || current_.bound == 0 || bound == nullptr || bound->begun == 0 || bin == bins_.end())
    return 0;
  const auto of_begun = static_cast<double>(bound->run + bound->outstanding + bin->second.stack.size());
  return static_cast<double>(tallies_.run_below(current_.bound)) +
         of_begun * static_cast<double>(bound->to_begin) / static_cast<double>(bound->begun);
}

// Three times the standard error of what is still to come.
double Frontier::estimated_spread() const {
  constexpr std::size_t kFewest = 8;  // the differences between fewer parts say little
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const double total = estimated_total();
  if (total <= 0) return 1;
  const BoundTally& bound = *tallies_.find(current_.bound);
  if (bound.tree_sizes.batches() < kFewest) return kUnknown;
  const double part = 3 * bound.tree_sizes.error() * static_cast<double>(bound.to_begin - bound.begun) / total;
  return part < 1 ? 1 / (1 - part) : kUnknown;
}

std::size_t Frontier::bytes() const {
  const auto entries =
      std::accumulate(bins_.begin(), bins_.end(), std::size_t{0}, [](std::size_t sum, const auto& bin) {
        return sum + bin.second.queue.in_memory() + bin.second.stack.in_memory();
      });
  return nodes_.in_use() * Deviations::bytes_each() + entries * sizeof(FrontierEntry);
}

// Neither revisits nor a file: those are for searches of everything.
ShardProgress Frontier::shard_progress() const {
  ShardProgress progress;
  const auto add = [&](NodeId parent, std::uint32_t step, Choice choice, unsigned bound) {
    Subtree& subtree = progress.waiting.emplace_back();
    subtree.preemptions = bound;
    if (step == kRootStep) return;
    nodes_.write_to(subtree.deltas, parent);
    subtree.deltas.push_back({step, choice});
  };
  for (const auto& [plan, outstanding] : outstanding_.all()) {
    const Deviations::Node& node = nodes_[outstanding.node];
    add(node.parent, node.step, node.choice, outstanding.bound);
  }
  for (const auto& [rank, bin] : bins_)
    for (const FrontierEntry& entry : bin.stack.in_order()) add(entry.node, entry.step, entry.choice(), rank.bound);
  progress.run = tallies_.run();
  progress.lost = lost_;
  return progress;
}

// --- resume

struct Frontier::Again {
  NodeId node = kNone;
  Purpose purpose = Purpose::Search;
  Rank rank;
};

void Frontier::save(StateWriter& writer) const {
  transfer(*this, writer);
  std::vector<Again> again;
  for (const auto& [plan, outstanding] : outstanding_.all())
    again.push_back({outstanding.node, outstanding.purpose, {outstanding.cost, outstanding.least()}});
  writer(again);
  file_.save(writer);
}

// What was outstanding comes first again.
bool Frontier::restore(StateReader& reader) {
  transfer(*this, reader);
  latest_ = bins_.end();
  std::vector<Again> again;
  reader(again);
  std::vector<FrontierFile::Page> pages;
  for (const auto& [rank, bin] : bins_) {
    pages.insert(pages.end(), bin.queue.pages().begin(), bin.queue.pages().end());
    pages.insert(pages.end(), bin.stack.pages().begin(), bin.stack.pages().end());
  }
  file_.restore(reader, pages);
  if (reader.failed()) return false;
  std::for_each(again.rbegin(), again.rend(), [this](const Again& one) {
    const Deviations::Node node = nodes_[one.node];
    const bool revisit = one.purpose == Purpose::Revisit;
    current_ = std::min(current_, one.rank);
    bins_[one.rank].stack.push(
        FrontierEntry::of(revisit ? one.node : node.parent, node.step, node.choice, one.purpose));
    ++tallies_[one.rank.bound].pending;
    if (revisit) return;
    nodes_.refer_to(node.parent);  // the node's own reference goes with it
    nodes_.release(one.node);
    ++leaves_;
  });
  return true;
}

}  // namespace heddle

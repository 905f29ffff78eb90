// See litmus.h.
#include "litmus.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>

#include "model/weak_memory.h"

namespace heddle::model::litmus {
namespace {

using Kind = Operation::Kind;

void* reserve_room(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED ? memory : nullptr;
}

template <typename Values>
std::string text_of(const std::vector<std::vector<std::uint64_t>>& read, const Values& values) {
  std::string text;
  for (const auto& thread : read)
    for (const std::uint64_t value : thread) text += (text.empty() ? "" : " ") + std::to_string(value);
  text += "|";
  for (std::size_t i = 0; i < kLocations; ++i) text += (i == 0 ? "" : " ") + std::to_string(values[i]);
  return text;
}

// --- the machine

std::array<std::uint64_t, kLocations> memory;

void look(AtomicUse& use) { use.present[0] = memory[use.address / 8 - 1]; }

// Choices in their order; the next execution differs from this one in the last that has an alternative left.
class Choices {
 public:
  unsigned choose(unsigned count) {
    if (at_ == made_.size()) made_.push_back({0, count});
    EXPECT_EQ(made_[at_].count, count) << "the same choices lead to the same place";
    return made_[at_++].chosen;
  }
  bool next() {
    at_ = 0;
    while (!made_.empty() && made_.back().chosen + 1 == made_.back().count) made_.pop_back();
    if (made_.empty()) return false;
    ++made_.back().chosen;
    return true;
  }

 private:
  struct Made {
    unsigned chosen, count;
  };
  std::vector<Made> made_;
  std::size_t at_ = 0;
};

class Machine {
 public:
  explicit Machine(MemoryModel model) {
    EXPECT_TRUE(clocks_.make_room(reserve_room));
    weak_ = WeakMemory::create(reserve_room, clocks_, model);
  }

  std::string run(const Program& program, Choices& choices) {
    if (!clocks_.begin_execution()) ADD_FAILURE() << "the clocks have come to their end";
    weak_->begin_execution();
    memory.fill(0);
    for (std::size_t i = 0; i < program.size(); ++i) {
      clocks_.add_task(static_cast<TaskId>(i + 1), 0);
      weak_->drain(static_cast<TaskId>(i + 1));
    }
    std::vector<std::vector<std::uint64_t>> read(program.size());
    std::vector<std::size_t> next(program.size(), 0);
    for (;;) {
      std::vector<std::size_t> ready;
      for (std::size_t i = 0; i < program.size(); ++i)
        if (next[i] < program[i].size()) ready.push_back(i);
      if (ready.empty()) return text_of(read, memory);
      const std::size_t thread = ready[choices.choose(static_cast<unsigned>(ready.size()))];
      step(static_cast<TaskId>(thread + 1), program[thread][next[thread]++], choices, read[thread]);
    }
  }

 private:
  void step(TaskId task, const Operation& operation, Choices& choices, std::vector<std::uint64_t>& read) {
    if (operation.kind == Kind::Fence) return fence(task, operation.order);
    AtomicUse use;
    use.look = look;
    use.address = 8 * (operation.location + 1);
    use.size = 8;
    use.order = use.failure_order = operation.order;
    use.kind = operation.kind == Kind::Load    ? AtomicUse::Kind::Load
               : operation.kind == Kind::Store ? AtomicUse::Kind::Store
                                               : AtomicUse::Kind::Update;
    use.operand[0] = operation.value;
    const auto variant = static_cast<Variant>(choices.choose(weak_->variants(task, use)));
    if (operation.kind == Kind::Load) {
      weak_->load(task, use, variant);
    } else if (operation.kind == Kind::Store) {
      weak_->store(task, use, variant);
      if (variant == 0) memory[operation.location] = operation.value;
    } else {
      use.found[0] = memory[operation.location];
      memory[operation.location] = operation.value;
      weak_->update(task, use, use.operand);
    }
    if (operation.kind != Kind::Store) read.push_back(use.found[0]);
    weak_->order(task, use);
  }

  void fence(TaskId task, AtomicOrder order) {
    if (order == AtomicOrder::SequentiallyConsistent) return weak_->sequential_fence(task);
    if (acquires(order)) clocks_.acquire_fence(task);
    if (releases(order)) clocks_.release_fence(task);
  }

  VectorClocks clocks_;
  WeakMemory* weak_ = nullptr;
};

// --- the axioms

// Sets of pairs of events, as bits.
class Relation {
 public:
  static constexpr unsigned kEvents = 20;
  bool has(unsigned from, unsigned to) const { return (rows_[from] >> to & 1) != 0; }
  void add(unsigned from, unsigned to) { rows_[from] |= 1u << to; }
  Relation operator|(const Relation& other) const {
    Relation result = *this;
    for (unsigned i = 0; i < kEvents; ++i) result.rows_[i] |= other.rows_[i];
    return result;
  }
  // One after the other.
  Relation operator*(const Relation& other) const {
    Relation result;
    for (unsigned i = 0; i < kEvents; ++i)
      for (unsigned j = 0; j < kEvents; ++j)
        if (has(i, j)) result.rows_[i] |= other.rows_[j];
    return result;
  }
  Relation inverse() const {
    Relation result;
    for (unsigned i = 0; i < kEvents; ++i)
      for (unsigned j = 0; j < kEvents; ++j)
        if (has(i, j)) result.add(j, i);
    return result;
  }
  Relation closure() const {
    Relation result = *this;
    for (unsigned k = 0; k < kEvents; ++k)
      for (unsigned i = 0; i < kEvents; ++i)
        if (result.has(i, k)) result.rows_[i] |= result.rows_[k];
    return result;
  }
  Relation or_identity() const {
    return *this | all([](unsigned, unsigned) { return true; }, true);
  }
  template <typename Holds>
  static Relation all(Holds holds, bool only_same = false) {
    Relation result;
    for (unsigned i = 0; i < kEvents; ++i)
      for (unsigned j = 0; j < kEvents; ++j)
        if ((!only_same || i == j) && holds(i, j)) result.add(i, j);
    return result;
  }
  bool is_irreflexive() const {
    for (unsigned i = 0; i < kEvents; ++i)
      if (has(i, i)) return false;
    return true;
  }
  bool is_acyclic() const { return closure().is_irreflexive(); }

 private:
  std::array<std::uint32_t, kEvents> rows_{};
};

struct Event {
  Operation operation;
  unsigned thread = 0;  // 0: it is the first value
  bool reads() const { return operation.kind == Kind::Load || operation.kind == Kind::Exchange; }
  bool writes() const { return operation.kind == Kind::Store || operation.kind == Kind::Exchange; }
  bool is_fence() const { return operation.kind == Kind::Fence; }
  bool is_update() const { return operation.kind == Kind::Exchange; }
  bool is_sequential() const { return thread != 0 && operation.order == AtomicOrder::SequentiallyConsistent; }
};

class Axioms {
 public:
  explicit Axioms(const Program& program) : threads_(program.size()) {
    for (unsigned location = 0; location < kLocations; ++location)
      events_.push_back({store(location, 0, AtomicOrder::Relaxed), 0});
    for (unsigned thread = 0; thread < program.size(); ++thread)
      for (const Operation& operation : program[thread]) events_.push_back({operation, thread + 1});
    EXPECT_LE(events_.size(), Relation::kEvents);
    before_ = over([&](const Event& a, const Event& b, unsigned i, unsigned j) {
      return i < j && (a.thread == 0 ? b.thread != 0 : a.thread == b.thread);
    });
    reads_from_.assign(events_.size(), 0);
  }

  Outcomes outcomes() {
    choose_reads(0);
    return std::move(outcomes_);
  }

 private:
  template <typename Holds>
  Relation over(Holds holds) const {
    return Relation::all([&](unsigned i, unsigned j) {
      return i < events_.size() && j < events_.size() && holds(events_[i], events_[j], i, j);
    });
  }
  // The events for which it holds, each with itself.
  template <typename Holds>
  Relation only(Holds holds) const {
    return Relation::all([&](unsigned i, unsigned) { return i < events_.size() && holds(events_[i]); }, true);
  }
  static bool same_place(const Event& a, const Event& b) {
    return !a.is_fence() && !b.is_fence() && a.operation.location == b.operation.location;
  }

  void choose_reads(unsigned event) {
    while (event < events_.size() && !events_[event].reads()) ++event;
    if (event == events_.size()) return choose_orders(0);
    for (unsigned writer = 0; writer < events_.size(); ++writer) {
      if (writer == event || !events_[writer].writes() || !same_place(events_[writer], events_[event])) continue;
      reads_from_[event] = writer;
      choose_reads(event + 1);
    }
  }

  void choose_orders(unsigned location) {
    if (location == kLocations) return judge();
    std::vector<unsigned>& order = orders_[location];
    order.clear();
    for (unsigned i = kLocations; i < events_.size(); ++i)
      if (events_[i].writes() && events_[i].operation.location == location) order.push_back(i);
    do choose_orders(location + 1);
    while (std::next_permutation(order.begin(), order.end()));
  }

  void judge() {
    Relation mo, rf;
    std::array<std::uint64_t, kLocations> last{};
    for (unsigned location = 0; location < kLocations; ++location) {
      const std::vector<unsigned>& order = orders_[location];
      for (std::size_t i = 0; i < order.size(); ++i) {
        mo.add(location, order[i]);
        for (std::size_t j = i + 1; j < order.size(); ++j) mo.add(order[i], order[j]);
      }
      last[location] = order.empty() ? 0 : events_[order.back()].operation.value;
    }
    for (unsigned i = 0; i < events_.size(); ++i)
      if (events_[i].reads()) rf.add(reads_from_[i], i);
    if (!consistent(mo, rf)) return;
    std::vector<std::vector<std::uint64_t>> read(threads_);
    for (unsigned i = kLocations; i < events_.size(); ++i)
      if (events_[i].reads()) read[events_[i].thread - 1].push_back(events_[reads_from_[i]].operation.value);
    outcomes_.insert(text_of(read, last));
  }

  // RC11, section 3 of the paper, with the release sequences of C++20.
  bool consistent(const Relation& mo, const Relation& rf) const {
    if (!(before_ | rf).is_acyclic()) return false;
    const Relation fr = over([&](const Event& a, const Event& b, unsigned i, unsigned j) {
      return a.reads() && b.writes() && i != j && mo.has(reads_from_[i], j);
    });
    // An update is directly behind what it reads.
    if (!only([&](const Event& event) {
           const auto at = static_cast<unsigned>(&event - events_.data());
           return event.is_update() && (!mo.has(reads_from_[at], at) || (fr * mo).has(at, at));
         }).is_irreflexive())
      return false;
    const Relation hb = happens_before(rf);
    const Relation eco = (rf | mo | fr).closure();
    if (!hb.is_irreflexive() || !(hb * eco).is_irreflexive() || !eco.is_irreflexive()) return false;
    return sequential_order(hb, eco).is_acyclic();
  }

  Relation happens_before(const Relation& rf) const {
    const Relation updates = only([](const Event& event) { return event.is_update(); });
    const Relation sequence = (rf * updates).closure().or_identity();
    const Relation fences = only([](const Event& event) { return event.is_fence(); });
    const Relation release = only([](const Event& e) { return e.thread != 0 && releases(e.operation.order); });
    const Relation acquire = only([](const Event& e) { return e.thread != 0 && acquires(e.operation.order); });
    const Relation writes = only([](const Event& event) { return event.writes(); });
    const Relation reads = only([](const Event& event) { return event.reads(); });
    const Relation from = release * (fences * before_).or_identity() * writes * sequence;
    const Relation sw = from * rf * reads * (before_ * fences).or_identity() * acquire;
    return (before_ | sw).closure();
  }

  // With coherence-ordered before as in C++20 ([atomics.order]), where RC11 has less.
  Relation sequential_order(const Relation& hb, const Relation& eco) const {
    const Relation sc = only([](const Event& event) { return event.is_sequential() && !event.is_fence(); });
    const Relation sc_fences = only([](const Event& event) { return event.is_sequential() && event.is_fence(); });
    const Relation elsewhere = over(
        [&](const Event& a, const Event& b, unsigned i, unsigned j) { return before_.has(i, j) && !same_place(a, b); });
    const Relation hb_here =
        over([&](const Event& a, const Event& b, unsigned i, unsigned j) { return hb.has(i, j) && same_place(a, b); });
    const Relation scb = before_ | elsewhere * hb * elsewhere | hb_here | eco;
    const Relation base = (sc | sc_fences * hb.or_identity()) * scb * (sc | hb.or_identity() * sc_fences);
    return base | sc_fences * (hb | hb * eco * hb) * sc_fences;
  }

  std::vector<Event> events_;
  std::size_t threads_;
  Relation before_;
  std::vector<unsigned> reads_from_;
  std::array<std::vector<unsigned>, kLocations> orders_;
  Outcomes outcomes_;
};

}  // namespace

Outcomes run_all(const Program& program, MemoryModel model) {
  static Machine tso(MemoryModel::Tso), rc11(MemoryModel::Rc11);
  Outcomes outcomes;
  Choices choices;
  do outcomes.insert((model == MemoryModel::Tso ? tso : rc11).run(program, choices));
  while (choices.next());
  return outcomes;
}

Outcomes allowed_by_axioms(const Program& program) { return Axioms(program).outcomes(); }

}  // namespace heddle::model::litmus

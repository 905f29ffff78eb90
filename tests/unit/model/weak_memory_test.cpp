// Weak memory: the litmus tests of the literature, and random programs against the axioms.
#include "model/weak_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "litmus.h"

namespace heddle::model {
namespace {

using namespace litmus;
constexpr auto kRelaxed = AtomicOrder::Relaxed, kAcquire = AtomicOrder::Acquire, kRelease = AtomicOrder::Release,
               kSequential = AtomicOrder::SequentiallyConsistent, kBoth = AtomicOrder::AcquireRelease;
constexpr unsigned kX = 0, kY = 1;

bool may_end(const Program& program, MemoryModel model, const std::string& outcome) {
  return run_all(program, model).count(outcome) != 0;
}

struct Expected {
  bool tso, rc11;
};

void expect(const Program& program, const std::string& outcome, Expected expected) {
  EXPECT_EQ(may_end(program, MemoryModel::Tso, outcome), expected.tso) << "tso: " << outcome;
  EXPECT_EQ(may_end(program, MemoryModel::Rc11, outcome), expected.rc11) << "rc11: " << outcome;
  EXPECT_EQ(allowed_by_axioms(program).count(outcome) != 0, expected.rc11) << "axioms: " << outcome;
}

Program store_buffering(AtomicOrder stores, AtomicOrder loads) {
  return {{store(kX, 1, stores), load(kY, loads)}, {store(kY, 1, stores), load(kX, loads)}};
}

TEST(WeakMemory, StoreBuffering) {
  expect(store_buffering(kRelaxed, kRelaxed), "0 0|1 1 0", {true, true});
  expect(store_buffering(kRelease, kAcquire), "0 0|1 1 0", {true, true});
  expect(store_buffering(kSequential, kSequential), "0 0|1 1 0", {false, false});
  const Operation between = fence(kSequential);
  expect({{store(kX, 1, kRelaxed), between, load(kY, kRelaxed)}, {store(kY, 1, kRelaxed), between, load(kX, kRelaxed)}},
         "0 0|1 1 0", {false, false});
  expect({{store(kX, 1, kRelaxed), between, load(kY, kRelaxed)}, {store(kY, 1, kRelaxed), load(kX, kRelaxed)}},
         "0 0|1 1 0", {true, true});
  expect({{store(kX, 1, kRelaxed), fence(kBoth), load(kY, kRelaxed)},
          {store(kY, 1, kRelaxed), fence(kBoth), load(kX, kRelaxed)}},
         "0 0|1 1 0", {true, true});
}

Program message_passing(AtomicOrder publishes, AtomicOrder receives) {
  return {{store(kX, 1, kRelaxed), store(kY, 1, publishes)}, {load(kY, receives), load(kX, kRelaxed)}};
}

TEST(WeakMemory, MessagePassing) {
  expect(message_passing(kRelaxed, kRelaxed), "1 0|1 1 0", {false, true});
  expect(message_passing(kRelease, kRelaxed), "1 0|1 1 0", {false, true});
  expect(message_passing(kRelaxed, kAcquire), "1 0|1 1 0", {false, true});
  expect(message_passing(kRelease, kAcquire), "1 0|1 1 0", {false, false});
  expect({{store(kX, 1, kRelaxed), fence(kRelease), store(kY, 1, kRelaxed)},
          {load(kY, kRelaxed), fence(kAcquire), load(kX, kRelaxed)}},
         "1 0|1 1 0", {false, false});
}

// Only what orders sequentially consistent operations keeps them from old values, not that they ran later.
TEST(WeakMemory, SequentialOperationsBesideOthers) {
  expect({{store(kX, 1, kSequential), store(kY, 1, kRelaxed)}, {load(kY, kRelaxed), load(kX, kSequential)}},
         "1 0|1 1 0", {false, true});
  expect({{store(kX, 1, kSequential), store(kY, 1, kSequential)}, {load(kY, kSequential), load(kX, kSequential)}},
         "1 0|1 1 0", {false, false});
  // The first thread's load has missed the second one's store, so it comes before that; the second thread's load may
  // not miss what comes before both.
  expect({{store(kX, 1, kSequential), load(2, kSequential), store(kY, 1, kRelaxed)},
          {store(2, 1, kSequential), load(kY, kRelaxed), load(kX, kSequential)}},
         "0 1 0|1 1 1", {false, false});
  expect({{store(kX, 1, kSequential), store(kY, 1, kRelaxed)}, {store(kX, 2, kSequential), load(kY, kAcquire)}},
         "1|1 1 0", {true, true});
}

// Whoever reads a store late comes in the order before those that have read it.
TEST(WeakMemory, ReadersAreInTheOrder) {
  const auto reads = [](Program middle, Program last) {
    Program program{{store(kX, 1, kRelaxed)}};
    program.insert(program.end(), middle.begin(), middle.end());
    program.insert(program.end(), last.begin(), last.end());
    return program;
  };
  const Program sequential{{store(kY, 1, kSequential), load(kX, kSequential)}};
  const Program fenced{{store(kY, 1, kRelaxed), fence(kSequential), load(kX, kRelaxed)}};
  const std::vector<Operation> both{load(kX, kSequential), load(kY, kSequential)};
  std::vector<Operation> again = both;
  again.push_back(load(kX, kSequential));
  expect(reads({both}, sequential), "1 0 0|1 1 0", {false, false});
  expect(reads({again}, sequential), "1 0 1 0|1 1 0", {false, false});
  expect(reads({both}, fenced), "1 0 0|1 1 0", {false, false});
  expect(reads({{load(kX, kRelaxed), fence(kSequential), load(kY, kRelaxed)}}, sequential), "1 0 0|1 1 0",
         {false, false});
}

// A ninth store falls out of the history while one stands before the newest.
TEST(WeakMemory, AFullHistory) {
  std::vector<Operation> many;
  for (std::uint64_t value = 1; value <= 8; ++value) many.push_back(store(kX, value, kRelaxed));
  const Outcomes outcomes = run_all({many, {store(kX, 9, kSequential)}}, MemoryModel::Rc11);
  EXPECT_EQ(outcomes, (Outcomes{"|8 0 0", "|9 0 0"}));
}

TEST(WeakMemory, ReleaseSequence) {
  // By an update of another thread; a plain store of another one breaks it.
  expect({{store(kX, 1, kRelaxed), store(kY, 1, kRelease)},
          {exchange(kY, 2, kRelaxed)},
          {load(kY, kAcquire), load(kX, kRelaxed)}},
         "1 2 0|1 2 0", {false, false});
  expect({{store(kX, 1, kRelaxed), store(kY, 1, kRelease)},
          {store(kY, 2, kRelaxed)},
          {load(kY, kAcquire), load(kX, kRelaxed)}},
         "2 0|1 2 0", {false, true});
}

TEST(WeakMemory, IndependentReadsOfIndependentWrites) {
  const auto program = [](AtomicOrder stores, AtomicOrder loads) {
    return Program{{store(kX, 1, stores)},
                   {store(kY, 1, stores)},
                   {load(kX, loads), load(kY, loads)},
                   {load(kY, loads), load(kX, loads)}};
  };
  expect(program(kRelease, kAcquire), "1 0 1 0|1 1 0", {false, true});
  expect(program(kSequential, kSequential), "1 0 1 0|1 1 0", {false, false});
}

TEST(WeakMemory, LoadBufferingIsNotThere) {
  expect({{load(kX, kRelaxed), store(kY, 1, kRelaxed)}, {load(kY, kRelaxed), store(kX, 1, kRelaxed)}}, "1 1|1 1 0",
         {false, false});
}

TEST(WeakMemory, WritesToReadCausality) {
  const auto program = [](AtomicOrder order, AtomicOrder loads) {
    return Program{
        {store(kX, 1, kRelaxed)}, {load(kX, loads), store(kY, 1, order)}, {load(kY, loads), load(kX, kRelaxed)}};
  };
  expect(program(kRelaxed, kRelaxed), "1 1 0|1 1 0", {false, true});
  expect(program(kRelease, kAcquire), "1 1 0|1 1 0", {false, false});
}

TEST(WeakMemory, MessageThroughAThirdThread) {
  const auto program = [](AtomicOrder stores, AtomicOrder loads) {
    return Program{{store(0, 1, kRelaxed), store(1, 1, stores)},
                   {load(1, loads), store(2, 1, stores)},
                   {load(2, loads), load(0, kRelaxed)}};
  };
  expect(program(kRelease, kAcquire), "1 1 0|1 1 1", {false, false});
  expect(program(kRelaxed, kAcquire), "1 1 0|1 1 1", {false, true});
}

TEST(WeakMemory, CoherenceOfOneLocation) {
  // Two reads of one thread, a read behind its own write, two writes of one thread.
  expect({{store(kX, 1, kRelaxed), store(kX, 2, kRelaxed)}, {load(kX, kRelaxed), load(kX, kRelaxed)}}, "2 1|2 0 0",
         {false, false});
  expect({{store(kX, 1, kRelaxed), load(kX, kRelaxed)}}, "0|1 0 0", {false, false});
  expect({{store(kX, 1, kRelaxed), store(kX, 2, kRelaxed)}}, "|1 0 0", {false, false});
}

TEST(WeakMemory, TwoWritesOfTwoThreads) {
  const auto program = [](AtomicOrder order) {
    return Program{{store(kX, 1, order), store(kY, 2, order)}, {store(kY, 1, order), store(kX, 2, order)}};
  };
  expect(program(kRelaxed), "|1 1 0", {false, true});
  expect(program(kSequential), "|1 1 0", {false, false});
}

TEST(WeakMemory, ReadAndStore) {
  // R: x = 1; y = 1 || y = 2; read x. S: x = 2; y = 1 || read y; x = 1.
  expect({{store(kX, 1, kRelease), store(kY, 1, kRelease)}, {store(kY, 2, kRelease), load(kX, kAcquire)}}, "0|1 2 0",
         {true, true});
  expect({{store(kX, 2, kRelaxed), store(kY, 1, kRelaxed)}, {load(kY, kRelaxed), store(kX, 1, kRelaxed)}}, "1|2 1 0",
         {false, true});
  expect({{store(kX, 2, kRelaxed), store(kY, 1, kRelease)}, {load(kY, kAcquire), store(kX, 1, kRelaxed)}}, "1|2 1 0",
         {false, false});
}

TEST(WeakMemory, UpdatesAreAtomic) {
  const Program program{{exchange(kX, 1, kRelaxed)}, {exchange(kX, 2, kRelaxed)}, {store(kX, 3, kRelaxed)}};
  EXPECT_EQ(run_all(program, MemoryModel::Rc11), allowed_by_axioms(program));
  EXPECT_FALSE(may_end(program, MemoryModel::Rc11, "0 0|1 0 0"));
}

// --- random programs

struct Shape {
  unsigned threads, operations, locations;
  bool updates, sequential, fences;
};

Program random_program(std::mt19937& random, const Shape& shape) {
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  Program program(shape.threads);
  std::uint64_t value = 0;
  for (auto& thread : program) {
    const unsigned count = 1 + below(shape.operations);
    for (unsigned i = 0; i < count; ++i) {
      const unsigned location = below(shape.locations), kind = below(8);
      const bool sequential = shape.sequential && below(3) == 0;
      if (kind == 0 && shape.fences) {
        constexpr AtomicOrder kOrders[] = {kAcquire, kRelease, kBoth};
        thread.push_back(fence(sequential ? kSequential : kOrders[below(3)]));
      } else if (kind == 1 && shape.updates) {
        constexpr AtomicOrder kOrders[] = {kRelaxed, kAcquire, kRelease, kBoth};
        thread.push_back(exchange(location, ++value, sequential ? kSequential : kOrders[below(4)]));
      } else if (kind < 5) {
        thread.push_back(store(location, ++value, sequential ? kSequential : below(2) == 0 ? kRelaxed : kRelease));
      } else {
        thread.push_back(load(location, sequential ? kSequential : below(2) == 0 ? kRelaxed : kAcquire));
      }
    }
  }
  return program;
}

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& thread : program) {
    for (const Operation& one : thread)
      text += std::string(1, "LSXF"[static_cast<int>(one.kind)]) + std::to_string(one.location) + "=" +
              std::to_string(one.value) + "/" + std::to_string(static_cast<int>(one.order)) + "  ";
    text += "|| ";
  }
  return text;
}

TEST(WeakMemoryRandom, EqualsTheAxiomsWithoutUpdates) {
  std::mt19937 random(1);
  for (int i = 0; i < 120; ++i) {
    const Program program = random_program(random, {2 + i % 2u, i % 2 == 0 ? 4u : 3u, 2, false, false, i % 3 == 0});
    ASSERT_EQ(run_all(program, MemoryModel::Rc11), allowed_by_axioms(program)) << text_of(program);
  }
}

TEST(WeakMemoryRandom, EqualsTheAxiomsWithSequentialOperations) {
  std::mt19937 random(4);
  for (int i = 0; i < 120; ++i) {
    const Program program = random_program(random, {2 + i % 2u, i % 2 == 0 ? 4u : 3u, 2, false, true, true});
    ASSERT_EQ(run_all(program, MemoryModel::Rc11), allowed_by_axioms(program)) << text_of(program);
  }
}

// Short threads show most of what the order of sequentially consistent operations forbids.
TEST(WeakMemoryRandom, StaysWithinTheAxiomsInShortThreads) {
  std::mt19937 random(5);
  for (int i = 0; i < 150; ++i) {
    const Program program = random_program(random, {4, 2, 2, false, true, i % 2 == 0});
    const Outcomes machine = run_all(program, MemoryModel::Rc11), axioms = allowed_by_axioms(program);
    ASSERT_TRUE(std::includes(axioms.begin(), axioms.end(), machine.begin(), machine.end())) << text_of(program);
  }
}

// What the machine does not do is named in memory_rc11.cpp. It never does what the axioms forbid.
TEST(WeakMemoryRandom, StaysWithinTheAxioms) {
  std::mt19937 random(2);
  for (int i = 0; i < 120; ++i) {
    const Program program = random_program(random, {2 + i % 2u, i % 2 == 0 ? 4u : 3u, 2, true, true, true});
    const Outcomes machine = run_all(program, MemoryModel::Rc11), axioms = allowed_by_axioms(program);
    ASSERT_TRUE(std::includes(axioms.begin(), axioms.end(), machine.begin(), machine.end())) << text_of(program);
  }
}

// What x86 allows, the C++ memory model does, too.
TEST(WeakMemoryRandom, TsoIsStronger) {
  std::mt19937 random(3);
  for (int i = 0; i < 120; ++i) {
    const Program program = random_program(random, {2 + i % 2u, i % 2 == 0 ? 4u : 3u, 2, true, true, true});
    const Outcomes tso = run_all(program, MemoryModel::Tso), axioms = allowed_by_axioms(program);
    ASSERT_TRUE(std::includes(axioms.begin(), axioms.end(), tso.begin(), tso.end())) << text_of(program);
  }
}

}  // namespace
}  // namespace heddle::model

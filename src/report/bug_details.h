// What a report for programs says of a bug besides its message: threads, steps, accesses, locks, stacks, places and
// deviations. It is made while the bug's process can still be asked for names, and outlives the execution. Its size is
// bounded, however long the execution is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/names.h"
#include "analysis/outcome.h"
#include "trace/moment.h"

namespace heddle {

struct BugDetails {
  // Each place is empty where it is not known.
  struct Thread {
    TaskId number = 0;
    std::string name;
    std::string state;      // at the end: "waits", "could go on", "failed", "was running", "has ended"
    std::string waits_for;  // in words; empty: it does not wait
    SourcePosition created_at, place;

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.number, self.name, self.state, self.waits_for, self.created_at, self.place);
    }
  };
  struct Step {
    std::uint32_t number = 0;
    TaskId thread = 0;
    std::string words;
    SourcePosition place;
    bool is_preemption = false;  // for it, or for one before it that is left out, a thread was preempted

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.number, self.thread, self.words, self.place, self.is_preemption);
    }
  };
  struct Access {
    TaskId thread = 0;
    std::string does;  // "read", "write", "free", "use" of a lock, "end" of the thread whose stack it is
    bool is_atomic = false;
    std::uint32_t after_steps = 0;
    SourcePosition place;
    std::vector<SourcePosition> stack;
    std::vector<std::string> locks;

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.thread, self.does, self.is_atomic, self.after_steps, self.place, self.stack, self.locks);
    }
  };
  struct ThreadAtLock {
    TaskId thread = 0;
    SourcePosition place;  // where it took the lock, or waits for it

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.thread, self.place);
    }
  };
  struct Lock {
    std::string name, kind;
    std::vector<ThreadAtLock> holders, waiters;

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.name, self.kind, self.holders, self.waiters);
    }
  };
  struct Stack {
    TaskId thread = 0;
    std::vector<SourcePosition> frames;  // innermost first

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.thread, self.frames);
    }
  };
  struct Deviation {
    std::uint32_t step = 0;
    TaskId thread = 0;              // that went on
    TaskId instead_of = kNoTask;    // the one that would have; kNoTask: none could
    std::string kind;               // analysis/deviations.h
    bool is_preemption = false;     // it counts as one
    std::optional<bool> is_needed;  // what came when it alone was left out; nothing: that was not tried

    template <typename Self, typename Archive>
    static void transfer(Self& self, Archive& archive) {
      archive(self.step, self.thread, self.instead_of, self.kind, self.is_preemption, self.is_needed);
    }
  };

  std::vector<Thread> threads;
  std::vector<Step> steps;  // those that pages show
  std::uint32_t steps_in_all = 0;
  std::vector<Access> accesses;        // the two of a race
  std::vector<Lock> locks;             // of a deadlock: what threads wait for
  std::vector<Stack> stacks;           // where it failed, or what threads wait in
  std::vector<SourcePosition> places;  // where it shows, the one of the message first
  std::vector<Deviation> deviations;
  std::optional<std::uint32_t> decisive_step;

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.threads, self.steps, self.steps_in_all, self.accesses, self.locks, self.stacks, self.places,
            self.deviations, self.decisive_step);
  }
};

// Of "queue.cpp:9", as test frameworks print a place.
SourcePosition printed_position(const std::string& place);

// A step that deviates from the default, and what came when it was left out: no failure, then it is needed.
struct TriedWithout {
  std::uint32_t step = 0;
  bool is_needed = false;
};

BugDetails details_of(const Outcome& outcome, const Execution& execution, const Moment& moment,
                      const std::vector<TriedWithout>& tried, Names& names);

}  // namespace heddle

// What PreemptionPoints has to know of each kind of operation, in one table, because every step asks for it.
#pragma once

#include <cstdint>

#include "protocol/dependence.h"

namespace heddle {

// What HappensBefore's careful relation orders with everything, and what yields besides.
inline bool orders_all(OperationKind kind, const Access& access) {
  return access.everything || access.outside || object_kind(kind) == ObjectKind::Futex ||
         kind == OperationKind::ConditionWake;
}

// Operations that change nothing but their objects, whatever others are about to do.
inline bool acts_on_objects_only(OperationKind kind, bool wrote) {
  switch (object_kind(kind)) {
    case ObjectKind::Condition:
      // Who waits is about to do something else then.
      return kind == OperationKind::ConditionWait || (kind != OperationKind::ConditionWake && !wrote);
    case ObjectKind::Thread:
    case ObjectKind::Mutex:
    case ObjectKind::RwLock:
    case ObjectKind::Semaphore:
    case ObjectKind::SpinLock:
    case ObjectKind::Once:
    case ObjectKind::Memory:
      return true;
    case ObjectKind::None:
      return kind == OperationKind::Choose || kind == OperationKind::ClockRead;
    default:
      return false;
  }
}

struct PreemptionKind {
  enum : std::uint8_t {
    Object = 1,
    SecondObject = 2,
    MayWrite = 4,
    OrdersAll = 8,
    Creates = 16,
    Yields = 32,
    Movable = 64,  // if it did not write
    MovableIfItWrote = 128,
  };
};

struct PreemptionKinds {
  std::uint8_t of[static_cast<unsigned>(OperationKind::Count)] = {};
  PreemptionKinds() noexcept {
    for (unsigned index = 0; index < static_cast<unsigned>(OperationKind::Count); ++index) {
      const auto kind = static_cast<OperationKind>(index);
      constexpr ObjectId kFirst = 1, kSecond = 2;
      const Access access = access_of(kind, kFirst, kSecond, true);
      const auto bit = [](bool is, unsigned value) { return is ? value : 0u; };
      of[index] = static_cast<std::uint8_t>(
          bit(access.object != kNoObject, PreemptionKind::Object) |
          bit(access.second != kNoObject, PreemptionKind::SecondObject) | bit(access.wrote, PreemptionKind::MayWrite) |
          bit(orders_all(kind, access), PreemptionKind::OrdersAll) | bit(access.creates, PreemptionKind::Creates) |
          bit(yields(kind), PreemptionKind::Yields) | bit(acts_on_objects_only(kind, false), PreemptionKind::Movable) |
          bit(acts_on_objects_only(kind, true), PreemptionKind::MovableIfItWrote));
    }
  }
};
inline const PreemptionKinds kPreemptionKinds;

inline std::uint8_t preemption_kind(OperationKind kind) { return kPreemptionKinds.of[static_cast<unsigned>(kind)]; }

}  // namespace heddle

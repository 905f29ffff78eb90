// Atomic operations. Natively, and while the runtime does not ask for them, each is the code that the compiler would
// have made: with the program's memory order, as far as the processor (x86-64) distinguishes orders.
#include "instrument/module.h"

using namespace heddle::instrument;

namespace {

using Wide = unsigned __int128;

// 16 bytes: by cmpxchg16b, in line; libatomic is not asked.
__attribute__((target("cx16"))) Wide compare_exchange_wide(Wide* address, Wide expected, Wide wanted) {
  return __sync_val_compare_and_swap(address, expected, wanted);
}

template <typename T>
T load(T* address) {
  if constexpr (sizeof(T) == 16)
    return compare_exchange_wide(address, 0, 0);
  else
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);
}

// Returns what was there before.
template <typename T, typename Make>
T replace_wide(T* address, Make make) {
  T seen = *address;
  for (;;) {
    const T found = compare_exchange_wide(address, seen, make(seen));
    if (found == seen) return found;
    seen = found;
  }
}

template <typename T>
void store(T* address, T value, int order) {
  if constexpr (sizeof(T) == 16)
    replace_wide(address, [value](T) { return value; });
  else if (order == __ATOMIC_SEQ_CST)
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  else
    __atomic_store_n(address, value, __ATOMIC_RELEASE);
}

template <AtomicUpdate kUpdate, typename T>
T updated(T old, T value) {
  switch (kUpdate) {
    case AtomicUpdate::Exchange:
      return value;
    case AtomicUpdate::Add:
      return static_cast<T>(old + value);
    case AtomicUpdate::Subtract:
      return static_cast<T>(old - value);
    case AtomicUpdate::And:
      return static_cast<T>(old & value);
    case AtomicUpdate::Or:
      return static_cast<T>(old | value);
    case AtomicUpdate::Xor:
      return static_cast<T>(old ^ value);
    case AtomicUpdate::Nand:
      return static_cast<T>(~(old & value));
  }
  return old;
}

// Returns what was there before.
template <AtomicUpdate kUpdate, typename T>
T update(T* address, T value) {
  if constexpr (sizeof(T) == 16)
    return replace_wide(address, [value](T old) { return updated<kUpdate>(old, value); });
  else if constexpr (kUpdate == AtomicUpdate::Exchange)
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kUpdate == AtomicUpdate::Add)
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kUpdate == AtomicUpdate::Subtract)
    return __atomic_fetch_sub(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kUpdate == AtomicUpdate::And)
    return __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kUpdate == AtomicUpdate::Or)
    return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kUpdate == AtomicUpdate::Xor)
    return __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST);
  else
    return __atomic_fetch_nand(address, value, __ATOMIC_SEQ_CST);
}

// Returns what was there before: it was exchanged when that is `expected`. Never fails for no reason.
template <typename T>
T compare_exchange(T* address, T expected, T wanted) {
  if constexpr (sizeof(T) == 16)
    return compare_exchange_wide(address, expected, wanted);
  else {
    __atomic_compare_exchange_n(address, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
  }
}

// --- under Heddle: the same, at a moment of the runtime's choice

template <typename T>
T& as(std::uint64_t (&words)[2]) {
  return *reinterpret_cast<T*>(words);
}

template <typename T>
void perform_load(AtomicAccess& access) {
  as<T>(access.before) = load(static_cast<T*>(access.address));
  access.wrote = false;
}

template <typename T>
void perform_store(AtomicAccess& access) {
  T* address = static_cast<T*>(access.address);
  as<T>(access.before) = load(address);
  store(address, as<T>(access.operand), __ATOMIC_SEQ_CST);
  as<T>(access.after) = as<T>(access.operand);
  access.wrote = true;
}

template <AtomicUpdate kUpdate, typename T>
void perform_update(AtomicAccess& access) {
  as<T>(access.before) = update<kUpdate>(static_cast<T*>(access.address), as<T>(access.operand));
  as<T>(access.after) = updated<kUpdate>(as<T>(access.before), as<T>(access.operand));
  access.wrote = true;
}

template <typename T>
void perform_compare_exchange(AtomicAccess& access) {
  const T expected = as<T>(access.expected);
  as<T>(access.before) = compare_exchange(static_cast<T*>(access.address), expected, as<T>(access.operand));
  access.wrote = as<T>(access.before) == expected;
  as<T>(access.after) = as<T>(access.operand);
}

// A wrong address is to fault here, in the program's own module, and not in the runtime.
template <typename T>
void touch(T* address) {
  static_cast<void>(*static_cast<volatile unsigned char*>(static_cast<void*>(address)));
}

template <typename T>
AtomicAccess access_to(T* address, AtomicKind kind, int order, const void* caller) {
  touch(address);
  AtomicAccess access;
  access.address = address;
  access.caller = caller;
  access.kind = kind;
  access.size = sizeof(T);
  access.order = static_cast<MemoryOrder>(order);
  return access;
}

template <typename T>
[[gnu::noinline]] T load_at_point(const Points& to, T* address, int order, const void* caller) {
  AtomicAccess access = access_to(address, AtomicKind::Load, order, caller);
  access.perform = perform_load<T>;
  to.atomic(access);
  return as<T>(access.before);
}

template <typename T>
[[gnu::noinline]] void store_at_point(const Points& to, T* address, T value, int order, const void* caller) {
  AtomicAccess access = access_to(address, AtomicKind::Store, order, caller);
  access.perform = perform_store<T>;
  as<T>(access.operand) = value;
  to.atomic(access);
}

template <AtomicUpdate kUpdate, typename T>
[[gnu::noinline]] T update_at_point(const Points& to, T* address, T value, int order, const void* caller) {
  AtomicAccess access = access_to(address, AtomicKind::Update, order, caller);
  access.perform = perform_update<kUpdate, T>;
  access.update = kUpdate;
  as<T>(access.operand) = value;
  to.atomic(access);
  return as<T>(access.before);
}

template <typename T>
[[gnu::noinline]] T compare_exchange_at_point(const Points& to, T* address, T expected, T wanted, int order,
                                              int failure_order, const void* caller) {
  AtomicAccess access = access_to(address, AtomicKind::CompareExchange, order, caller);
  access.perform = perform_compare_exchange<T>;
  access.failure_order = static_cast<MemoryOrder>(failure_order);
  as<T>(access.operand) = wanted;
  as<T>(access.expected) = expected;
  to.atomic(access);
  return as<T>(access.before);
}

template <typename T>
T any_compare_exchange(T* address, T expected, T wanted, int order, int failure_order, const void* caller) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))
    return compare_exchange_at_point(*to, address, expected, wanted, order, failure_order, caller);
  return compare_exchange(address, expected, wanted);
}

}  // namespace

// --- what the compiler calls

#define HEDDLE_UPDATE(bits, T, name, kind)                                                        \
  HEDDLE_INSTRUMENT T __tsan_atomic##bits##_##name(T* address, T value, int order) {              \
    if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))                  \
      return update_at_point<AtomicUpdate::kind>(*to, address, value, order, HEDDLE_CALLED_FROM); \
    return update<AtomicUpdate::kind>(address, value);                                            \
  }

#define HEDDLE_ATOMIC(bits, T)                                                                                        \
  HEDDLE_INSTRUMENT T __tsan_atomic##bits##_load(T* address, int order) {                                             \
    if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))                                      \
      return load_at_point(*to, address, order, HEDDLE_CALLED_FROM);                                                  \
    return load(address);                                                                                             \
  }                                                                                                                   \
  HEDDLE_INSTRUMENT void __tsan_atomic##bits##_store(T* address, T value, int order) {                                \
    if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))                                      \
      return store_at_point(*to, address, value, order, HEDDLE_CALLED_FROM);                                          \
    store(address, value, order);                                                                                     \
  }                                                                                                                   \
  HEDDLE_UPDATE(bits, T, exchange, Exchange)                                                                          \
  HEDDLE_UPDATE(bits, T, fetch_add, Add)                                                                              \
  HEDDLE_UPDATE(bits, T, fetch_sub, Subtract)                                                                         \
  HEDDLE_UPDATE(bits, T, fetch_and, And)                                                                              \
  HEDDLE_UPDATE(bits, T, fetch_or, Or)                                                                                \
  HEDDLE_UPDATE(bits, T, fetch_xor, Xor)                                                                              \
  HEDDLE_UPDATE(bits, T, fetch_nand, Nand)                                                                            \
  HEDDLE_INSTRUMENT int __tsan_atomic##bits##_compare_exchange_strong(T* address, T* expected, T wanted, int order,   \
                                                                      int failure_order) {                            \
    const T before = *expected;                                                                                       \
    const T found = any_compare_exchange(address, before, wanted, order, failure_order, HEDDLE_CALLED_FROM);          \
    if (found == before) return 1;                                                                                    \
    *expected = found;                                                                                                \
    return 0;                                                                                                         \
  }                                                                                                                   \
  extern "C" __attribute__((visibility("hidden"), used, alias("__tsan_atomic" #bits "_compare_exchange_strong"))) int \
      __tsan_atomic##bits##_compare_exchange_weak(T* address, T* expected, T wanted, int order, int failure_order);   \
  HEDDLE_INSTRUMENT T __tsan_atomic##bits##_compare_exchange_val(T* address, T expected, T wanted, int order,         \
                                                                 int failure_order) {                                 \
    return any_compare_exchange(address, expected, wanted, order, failure_order, HEDDLE_CALLED_FROM);                 \
  }

HEDDLE_ATOMIC(8, std::uint8_t)
HEDDLE_ATOMIC(16, std::uint16_t)
HEDDLE_ATOMIC(32, std::uint32_t)
HEDDLE_ATOMIC(64, std::uint64_t)
HEDDLE_ATOMIC(128, Wide)

HEDDLE_INSTRUMENT void __tsan_atomic_thread_fence(int order) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))
    to->fence(static_cast<MemoryOrder>(order), HEDDLE_CALLED_FROM);
  if (order == __ATOMIC_SEQ_CST) __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

HEDDLE_INSTRUMENT void __tsan_atomic_signal_fence(int order) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))
    to->signal_fence(static_cast<MemoryOrder>(order), HEDDLE_CALLED_FROM);
}

// The contract between an instrumented program and libheddle.so.
//
// The compiler (-fsanitize=thread) puts a call before each memory access and in place of each atomic operation. These
// calls, __tsan_…, are defined by libheddle_instrument.a, which is linked into every instrumented program and shared
// library, with hidden symbols: each of these modules has its own copy, and its own Module below. Natively both
// pointers in it are null: a plain access costs one load and a branch that is not taken, and an atomic operation is the
// same as without instrumentation.
//
// Under Heddle the module registers with the runtime when it is loaded (heddle_instrument_attach). The runtime fills
// the pointers in: `points` for what may be a scheduling point, `accesses` if plain accesses are watched (data races).
// It may change them at any time, for instance while only one thread exists.
//
// All of these are called before the access, on the stack of the thread that makes it, by a function of the module that
// the instrumented code has called: `caller` is the return address of that call. They may switch to other threads. They
// must leave errno alone.
//
// A program built with another version of the library must be told apart: raise kInstrumentVersion with every change
// here. This header needs nothing but the compiler.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::instrument {

inline constexpr std::uint32_t kInstrumentVersion = 7;

// By size: 1, 2, 4, 8, 16 bytes are entries 0 to 4.
inline constexpr unsigned kSizes = 5;

// Plain accesses. Sizes are exact, addresses may be unaligned.
struct Accesses {
  void (*read[kSizes])(const void* address, const void* caller);
  void (*write[kSizes])(const void* address, const void* caller);
  void (*read_range)(const void* address, std::size_t size, const void* caller);  // size may be 0
  void (*write_range)(const void* address, std::size_t size, const void* caller);
  // Are accesses from there scheduling points, so that others may see a copy that is half made?
  bool (*is_point)(const void* caller);
  // The pointer to the virtual table of an object: written again with the same value, that is no race.
  void (*vptr_read)(const void* address, const void* caller);
  void (*vptr_update)(const void* address, const void* value, const void* caller);
  // A function is entered: `caller` is where it will return to, `frame` its frame (its caller's stack pointer before
  // the call, at most 64 bytes off). It is left. Calls that end by longjmp() or in an execution's end are not left.
  void (*enter)(const void* caller, const void* frame);
  void (*leave)();
  // A block has been allocated; null: nobody needs to be told, since the allocator is Heddle's.
  void (*allocated)(const void* block, std::size_t size);
};

enum class AtomicKind : std::uint8_t { Load, Store, Update, CompareExchange };

enum class AtomicUpdate : std::uint8_t { Exchange, Add, Subtract, And, Or, Xor, Nand };

// As the compiler numbers them (__ATOMIC_RELAXED …).
enum class MemoryOrder : std::uint8_t { Relaxed, Consume, Acquire, Release, AcquireRelease, SequentiallyConsistent };

// One atomic operation. The runtime decides when it takes place and then calls `perform`, which makes the access and
// says in `wrote` whether memory was written (a failed compare-exchange only reads).
struct AtomicAccess {
  void* address = nullptr;
  const void* caller = nullptr;
  void (*perform)(AtomicAccess& access) = nullptr;
  AtomicKind kind = AtomicKind::Load;
  AtomicUpdate update = AtomicUpdate::Exchange;
  std::uint8_t size = 0;  // 1, 2, 4, 8, 16
  MemoryOrder order = MemoryOrder::SequentiallyConsistent;
  MemoryOrder failure_order = MemoryOrder::SequentiallyConsistent;  // of a compare-exchange that fails
  bool wrote = false;                                               // result
  bool in_line = false;                       // `perform` only says what an instruction will do that follows
  alignas(16) std::uint64_t operand[2] = {};  // Store, Update: by what; CompareExchange: the new value
  std::uint64_t expected[2] = {};             // CompareExchange
  std::uint64_t before[2] = {};               // result: the value found
  std::uint64_t after[2] = {};                // result: the value written, if one was
};

// What may be a scheduling point.
struct Points {
  void (*atomic)(AtomicAccess& access);
  void (*fence)(MemoryOrder order, const void* caller);         // of threads
  void (*signal_fence)(MemoryOrder order, const void* caller);  // between a thread and its own handlers
  // A volatile access that is about to be made; its size is 1, 2, 4, 8 or 16. `accesses` does not get it.
  void (*volatile_read)(const void* address, std::size_t size, const void* caller);
  void (*volatile_write)(const void* address, std::size_t size, const void* caller);
  // Annotations of the program: what came before a release of `address` happens before what comes after an acquire.
  void (*acquire)(const void* address, const void* caller);
  void (*release)(const void* address, const void* caller);
  // Accesses to these bytes are meant to race.
  void (*benign)(const void* address, std::size_t size, const void* caller);
  // The thread's reads or writes are not to be looked at for races, until as many ends have followed as beginnings.
  void (*ignore)(bool writes, bool begin);
};

// One for each program or shared library that was instrumented, in its own writable memory.
struct Module {
  std::uint32_t version = kInstrumentVersion;
  std::uint32_t size = sizeof(Module);
  const Accesses* accesses = nullptr;  // null: nobody wants to know
  const Points* points = nullptr;      // null: atomic operations are made directly
  const void* code = nullptr;          // an address in it
  const void* waiters = nullptr;       // libstdc++'s counts of who waits in std::atomic::wait; null: it has none
  Module* next = nullptr;              // the runtime's list
};

using BenignRace = void (*)(const void* address, std::size_t size);

}  // namespace heddle::instrument

// Exported by libheddle.so; looked up by name, so that a program runs without it. Attach fills in the pointers; a
// module of another version stays as it is, and the run says so. Detach: the module is about to be unloaded.
extern "C" {
void heddle_instrument_attach(heddle::instrument::Module* module);
void heddle_instrument_detach(heddle::instrument::Module* module);
void heddle_instrument_benign_race(const void* address, std::size_t size);  // also before the search begins
}

// The functions that programs call for ThreadSanitizer (sanitizer/tsan_interface.h, dynamic annotations). All of them
// are here, so that such a program links. Those that say nothing about races or order do nothing.
#include "instrument/module.h"

using namespace heddle::instrument;

namespace {

void tell(void (*Points::*member)(const void*, const void*), const volatile void* address, const void* caller) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))
    (to->*member)(const_cast<const void*>(address), caller);
}

void tell_benign(const volatile void* address, std::size_t size, const void* caller) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr))
    to->benign(const_cast<const void*>(address), size, caller);
  else if (heddle_benign_race_before != nullptr)
    heddle_benign_race_before(const_cast<const void*>(address), size);
}

void ignore(bool writes, bool begin) {
  if (const Points* to = heddle_module.points; HEDDLE_UNLIKELY(to != nullptr)) to->ignore(writes, begin);
}

// A lock of the program's own: its first byte stands for who has written under it, the next for who has read.
const volatile char* readers_of(const volatile void* lock) { return static_cast<const volatile char*>(lock) + 1; }

void take_lock(const volatile void* lock, bool writes, const void* caller) {
  tell(&Points::acquire, lock, caller);
  if (writes) tell(&Points::acquire, readers_of(lock), caller);
}

void give_lock(const volatile void* lock, bool writes, const void* caller) {
  tell(&Points::release, writes ? lock : readers_of(lock), caller);
}

// Of __tsan_mutex_…() (tsan_interface.h).
constexpr unsigned kReadLock = 1U << 3;
constexpr unsigned kTryLockFailed = 1U << 5;

}  // namespace

// --- order

HEDDLE_INSTRUMENT void __tsan_acquire(void* address) { tell(&Points::acquire, address, HEDDLE_CALLED_FROM); }
HEDDLE_INSTRUMENT void __tsan_release(void* address) { tell(&Points::release, address, HEDDLE_CALLED_FROM); }

HEDDLE_INSTRUMENT void AnnotateHappensAfter(const char*, int, const volatile void* address) {
  tell(&Points::acquire, address, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void AnnotateHappensBefore(const char*, int, const volatile void* address) {
  tell(&Points::release, address, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void WTFAnnotateHappensAfter(const char*, int, const volatile void* address) {
  tell(&Points::acquire, address, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void WTFAnnotateHappensBefore(const char*, int, const volatile void* address) {
  tell(&Points::release, address, HEDDLE_CALLED_FROM);
}

// --- locks of the program's own

HEDDLE_INSTRUMENT void AnnotateRWLockAcquired(const char*, int, const volatile void* lock, std::intptr_t writes) {
  take_lock(lock, writes != 0, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void AnnotateRWLockReleased(const char*, int, const volatile void* lock, std::intptr_t writes) {
  give_lock(lock, writes != 0, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void __tsan_mutex_post_lock(void* lock, unsigned flags, int) {
  if ((flags & kTryLockFailed) == 0) take_lock(lock, (flags & kReadLock) == 0, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT int __tsan_mutex_pre_unlock(void* lock, unsigned flags) {
  give_lock(lock, (flags & kReadLock) == 0, HEDDLE_CALLED_FROM);
  return 0;  // how often it was held, for locks that are given back for good
}
HEDDLE_INSTRUMENT void __tsan_mutex_create(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_destroy(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_pre_lock(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_post_unlock(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_pre_signal(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_post_signal(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_pre_divert(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_mutex_post_divert(void*, unsigned) {}
HEDDLE_INSTRUMENT void AnnotateRWLockCreate(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateRWLockCreateStatic(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateRWLockDestroy(const char*, int, const volatile void*) {}

// --- what is meant to race

HEDDLE_INSTRUMENT void AnnotateBenignRaceSized(const char*, int, const volatile void* address, std::size_t size,
                                               const char*) {
  tell_benign(address, size, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void WTFAnnotateBenignRaceSized(const char*, int, const volatile void* address, std::size_t size,
                                                  const char*) {
  tell_benign(address, size, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void AnnotateBenignRace(const char*, int, const volatile void* address, const char*) {
  tell_benign(address, 1, HEDDLE_CALLED_FROM);
}
HEDDLE_INSTRUMENT void AnnotateIgnoreReadsBegin(const char*, int) { ignore(false, true); }
HEDDLE_INSTRUMENT void AnnotateIgnoreReadsEnd(const char*, int) { ignore(false, false); }
HEDDLE_INSTRUMENT void AnnotateIgnoreWritesBegin(const char*, int) { ignore(true, true); }
HEDDLE_INSTRUMENT void AnnotateIgnoreWritesEnd(const char*, int) { ignore(true, false); }
HEDDLE_INSTRUMENT void __tsan_ignore_thread_begin() {
  ignore(false, true);
  ignore(true, true);
}
HEDDLE_INSTRUMENT void __tsan_ignore_thread_end() {
  ignore(true, false);
  ignore(false, false);
}

// --- what changes nothing here, or in ThreadSanitizer itself. Fibers of a program switch within a thread: what they
// do is in the order of that thread's steps.

HEDDLE_INSTRUMENT void AnnotateIgnoreSyncBegin(const char*, int) {}
HEDDLE_INSTRUMENT void AnnotateIgnoreSyncEnd(const char*, int) {}
HEDDLE_INSTRUMENT void AnnotateCondVarSignal(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateCondVarSignalAll(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateCondVarWait(const char*, int, const volatile void*, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateMutexIsNotPHB(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateMutexIsUsedAsCondVar(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateNewMemory(const char*, int, const volatile void*, std::size_t) {}
HEDDLE_INSTRUMENT void AnnotatePublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
HEDDLE_INSTRUMENT void AnnotateUnpublishMemoryRange(const char*, int, const volatile void*, std::size_t) {}
HEDDLE_INSTRUMENT void AnnotateMemoryIsInitialized(const char*, int, const volatile void*, std::size_t) {}
HEDDLE_INSTRUMENT void AnnotateMemoryIsUninitialized(const char*, int, const volatile void*, std::size_t) {}
HEDDLE_INSTRUMENT void AnnotatePCQCreate(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotatePCQDestroy(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotatePCQGet(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotatePCQPut(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateExpectRace(const char*, int, const volatile void*, const char*) {}
HEDDLE_INSTRUMENT void AnnotateFlushExpectedRaces(const char*, int) {}
HEDDLE_INSTRUMENT void AnnotateEnableRaceDetection(const char*, int, int) {}
HEDDLE_INSTRUMENT void AnnotateTraceMemory(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateFlushState(const char*, int) {}
HEDDLE_INSTRUMENT void AnnotateNoOp(const char*, int, const volatile void*) {}
HEDDLE_INSTRUMENT void AnnotateThreadName(const char*, int, const char*) {}
HEDDLE_INSTRUMENT int RunningOnValgrind() { return 0; }
HEDDLE_INSTRUMENT double ValgrindSlowdown() { return 1; }
HEDDLE_INSTRUMENT void __tsan_flush_memory() {}
HEDDLE_INSTRUMENT void* __tsan_get_current_fiber() { return nullptr; }
HEDDLE_INSTRUMENT void* __tsan_create_fiber(unsigned) { return &heddle_module; }
HEDDLE_INSTRUMENT void __tsan_destroy_fiber(void*) {}
HEDDLE_INSTRUMENT void __tsan_switch_to_fiber(void*, unsigned) {}
HEDDLE_INSTRUMENT void __tsan_set_fiber_name(void*, const char*) {}

// See clock.h.
#include "runtime/clock.h"

#include "runtime/os/system_call.h"
#include "runtime/recorder.h"
#include "runtime/runtime.h"

namespace heddle::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kLatest = INT64_MAX / 2;
constexpr Nanoseconds kReadStep = 1'000;
constexpr std::uint32_t kPatience = 1'000;  // clock reads in a row before the steps grow
constexpr std::uint32_t kDoubleEvery = 16;
constexpr std::uint32_t kMostDoublings = 13;  // about 8 ms a read

Nanoseconds to_nanoseconds(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  if (time.tv_sec >= kLatest / kSecond) return kLatest;
  return time.tv_sec * kSecond + time.tv_nsec;
}

// What the clock shows at virtual time 0.
Nanoseconds origin(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return config.realtime_start;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
      return config.monotonic_start;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return -1;
  }
}

}  // namespace

Nanoseconds deadline_at(clockid_t clock, const timespec* time) {
  if (time == nullptr) return kNoDeadline;
  const Nanoseconds shown = to_nanoseconds(*time), start = origin(clock);
  return shown > start ? shown - start : 0;
}

Nanoseconds deadline_after(const timespec& duration) {
  const Nanoseconds length = to_nanoseconds(duration);
  const Nanoseconds now = runtime.world->now();
  return length > kLatest - now ? kLatest : now + length;
}

bool clock_shows(clockid_t clock, Nanoseconds now, Nanoseconds& shown) {
  const Nanoseconds start = origin(clock);
  if (start < 0) return false;
  shown = start + now;
  return true;
}

Nanoseconds read_clock() {
  model::World& world = *runtime.world;
  if (config.clock == ClockKind::Real) world.advance_clock(os::kernel_clock(CLOCK_MONOTONIC) - config.monotonic_start);
  const std::uint32_t reads = ++runtime.free_clock_reads;
  std::uint32_t doublings = reads > kPatience ? (reads - kPatience) / kDoubleEvery : 0;
  if (doublings > kMostDoublings) doublings = kMostDoublings;
  world.advance_clock(world.now() + (kReadStep << doublings));
  beat();
  return world.now();
}

}  // namespace heddle::runtime

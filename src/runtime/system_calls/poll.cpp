// poll, select and epoll_wait. Their time limits and the signal masks that some take are virtual.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>

#include <algorithm>

#include "runtime/calls/dispatch.h"
#include "runtime/calls/files.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/snapshot.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/operation.h"
#include "runtime/state/up_calls.h"
#include "runtime/system_calls/attempt.h"
#include "runtime/system_calls/perform.h"
#include "runtime/system_calls/signal_files.h"
#include "runtime/world/clock.h"
#include "runtime/world/signals/deliver.h"
#include "runtime/world/signals/masks.h"

namespace heddle::runtime {
namespace {

Nanoseconds after_milliseconds(long milliseconds) {
  if (milliseconds < 0) return kNoDeadline;
  return deadline_after({milliseconds / 1000, milliseconds % 1000 * 1'000'000});
}

// What is to be waited for: `milliseconds`, or `time`.
struct Limit {
  Nanoseconds deadline = kNoDeadline;
  bool none_left = false;  // only looks
  bool wrong = false;
  bool nowhere = false;  // its address is
};

Limit limit_of(const timespec* time) {
  Limit limit;
  if (time == nullptr) return limit;
  limit.nowhere = !is_readable(reinterpret_cast<long>(time), sizeof *time);
  if (limit.nowhere) return limit;
  limit.wrong = !valid(*time) || time->tv_sec < 0;
  if (limit.wrong) return limit;
  limit.none_left = time->tv_sec == 0 && time->tv_nsec == 0;
  limit.deadline = limit.none_left ? kNoDeadline : deadline_after(*time);
  return limit;
}

Limit limit_of_milliseconds(long milliseconds) {
  return {milliseconds == 0 ? kNoDeadline : after_milliseconds(milliseconds), milliseconds == 0, false, false};
}

// --- a mask for as long as the wait

std::uint8_t ended_by_signals() {
  return current_data().mask_is_lent ? kEndedBySignals | model::Interrupt::Begun : kEndedBySignals;
}

// `wait` with the mask in force; what it says where the mask is wrong. Where nothing was found a signal that it lets in
// has the last word, but in epoll_wait's kin (`after_all` false).
template <typename Wait>
long with_mask(long mask, long size, bool after_all, Wait wait) {
  if (mask == 0) return wait();
  std::uint64_t bits = 0;
  if (size != sizeof bits) return -EINVAL;
  if (!is_readable(mask, sizeof bits)) return -EFAULT;
  memcpy(&bits, reinterpret_cast<const void*>(mask), sizeof bits);
  lend_signal_mask(bits);
  long result = wait();
  const std::uint64_t let_in = runtime.world->signals().deliverable(runtime.world->task(runtime.current));
  if (result == 0 && after_all && let_in != 0 && deliver_signals() != Handled::Nothing) result = -EINTR;
  take_back_signal_mask();
  return result;
}

// One more descriptor that is waited for. Only if all are the world's is the set.
void check_outside(Waiting& waiting, long descriptor, bool first) {
  const Outside outside = ended_from_outside(descriptor);
  waiting.outside = waiting.outside || outside != Outside::Never;
  waiting.by_channels = (first || waiting.by_channels) &&
                        (outside == Outside::Never || (outside == Outside::Perhaps && is_channel(descriptor)));
  waiting.foreign = (first || waiting.foreign) && outside == Outside::Only;
}

// Waits and looks; `look` asks the kernel without waiting and gives what the call returns (0: nothing is ready).
template <typename Query>
long wait_and_check(Waiting& waiting, ObjectId object, const Limit& limit, Site site, Query query) {
  const WaitingOperation operation{OperationKind::DescriptorWait, object, site, limit.deadline, ended_by_signals()};
  constexpr long kTimeIsOver = -ETIMEDOUT;
  waiting.never_blocks = limit.none_left;
  HeldFiles held;
  waiting.held = &held;
  const long result = wait_and_attempt(waiting, operation, kTimeIsOver, [&] {
    const long found = query();
    return found == 0 ? -EAGAIN : found;
  });
  if (result == kTimeIsOver) {
    show_signals_to(runtime.current);
    return query();
  }
  return result == -EAGAIN ? 0 : result;
}

// Without descriptors it is a sleep.
long sleep_for(const Limit& limit, Site site) {
  if (limit.none_left) return perform(OperationKind::Yield, kNoObject, site);
  if (limit.deadline == kNoDeadline) {  // for ever, or until a signal comes
    Waiting waiting;
    waiting.ready = [](const Waiting&) { return false; };
    const int ended = wait_until_ready(
        waiting, {OperationKind::DescriptorWait, all_descriptors(site), site, kNoDeadline, ended_by_signals()});
    return -ended;
  }
  const int ended = perform(OperationKind::Sleep, kNoObject, site, limit.deadline, ended_by_signals());
  return ended == EINTR ? -EINTR : 0;
}

// --- poll

struct PollSet {
  pollfd* entries;
  unsigned long count;
};

bool poll_names(const Waiting& waiting, long number) {
  const auto* set = static_cast<const PollSet*>(waiting.data);
  return std::any_of(set->entries, set->entries + set->count, [=](const pollfd& one) { return one.fd == number; });
}

// The kernel is woken by the files that were found first, and looks the numbers up again then: so what it waits for is
// one thing, and what it tells another.
bool poll_ready(const Waiting& waiting) {
  const auto* set = static_cast<const PollSet*>(waiting.data);
  const auto ready = [=] {
    return os::system_call(SYS_poll, reinterpret_cast<long>(set->entries), static_cast<long>(set->count), 0) != 0;
  };
  if (waiting.held == nullptr || !waiting.held->any()) return ready();
  for (unsigned long i = 0; i < set->count; ++i) {
    const pollfd given = set->entries[i];
    if (given.fd < 0) continue;
    pollfd entry{static_cast<int>(waiting.held->of(given.fd)), given.events, 0};
    if (os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0) != 0) return true;
  }
  return false;
}

long poll_until(const SystemCall& call, const Limit& limit, Site site) {
  if (limit.nowhere) return -EFAULT;
  if (limit.wrong) return -EINVAL;
  const PollSet set{reinterpret_cast<pollfd*>(call.arguments[0]), static_cast<unsigned long>(call.arguments[1])};
  if (set.count == 0) return sleep_for(limit, site);
  constexpr unsigned long kMax = 65536;  // more is wrong, as the kernel will say
  if (set.count > kMax || !is_readable(call.arguments[0], set.count * sizeof(pollfd))) {
    SystemCall wrong = call;
    wrong.number = SYS_poll;
    wrong.arguments[2] = 0;
    return pass(wrong);
  }
  judge_effect(call);
  before_kernel_writes(static_cast<std::uintptr_t>(call.arguments[0]), set.count * sizeof(pollfd));
  Waiting waiting;
  waiting.ready = poll_ready;
  waiting.names = poll_names;
  waiting.data = &set;
  int first = -1;
  for (unsigned long i = 0; i < set.count; ++i) {
    if (set.entries[i].fd < 0) continue;
    if (first < 0) first = set.entries[i].fd;
    check_outside(waiting, set.entries[i].fd, first == set.entries[i].fd);
  }
  const ObjectId object = first < 0 ? all_descriptors(site) : object_of(first, site);
  SystemCall query = call;
  query.number = SYS_poll;
  query.arguments[2] = 0;
  return wait_and_check(waiting, object, limit, site, [&] { return make_system_call(query); });
}

// --- select

constexpr long kMaxSelected = FD_SETSIZE;

struct SelectSets {
  long count;
  fd_set* sets[3];
};

bool is_open(long number) { return os::system_call(SYS_fcntl, number, F_GETFD) >= 0; }

// What is found now by the numbers, of which those that have been closed meanwhile count as ready.
long select_now(const SelectSets& wanted, fd_set* found, const HeldFiles* held) {
  long at[3];
  const auto bytes = static_cast<std::size_t>((wanted.count + 63) / 64 * 8);
  for (int i = 0; i < 3; ++i) {
    at[i] = wanted.sets[i] != nullptr ? reinterpret_cast<long>(&found[i]) : 0;
    if (wanted.sets[i] != nullptr) memcpy(&found[i], wanted.sets[i], bytes);
  }
  const auto each_gone = [&](auto visit) {
    for (int number = 0; held != nullptr && held->any() && number < wanted.count; ++number)
      for (int i = 0; i < 3 && held->has(number) && !is_open(number); ++i)
        if (wanted.sets[i] != nullptr && FD_ISSET(number, wanted.sets[i])) visit(number, found[i]);
  };
  each_gone([](int number, fd_set& set) { FD_CLR(number, &set); });
  const timespec none{0, 0};
  long result = os::system_call(SYS_pselect6, wanted.count, at[0], at[1], at[2], reinterpret_cast<long>(&none), 0);
  if (result < 0) return result;
  each_gone([&](int number, fd_set& set) {
    FD_SET(number, &set);
    ++result;
  });
  return result;
}

const SelectSets& sets_of(const Waiting& waiting) { return *static_cast<const SelectSets*>(waiting.data); }

bool select_names(const Waiting& waiting, long number) {
  const SelectSets& wanted = sets_of(waiting);
  return number < wanted.count && std::any_of(wanted.sets, wanted.sets + 3, [=](const fd_set* set) {
           return set != nullptr && FD_ISSET(static_cast<int>(number), set);
         });
}

// As with poll(): the files that were found first.
bool select_ready(const Waiting& waiting) {
  const SelectSets& wanted = sets_of(waiting);
  const HeldFiles* const held = waiting.held;
  fd_set found[3];
  if (held == nullptr || !held->any()) return select_now(wanted, found, nullptr) != 0;
  constexpr short kEvents[] = {POLLIN, POLLOUT, POLLPRI};
  for (int number = 0; number < wanted.count; ++number) {
    pollfd entry{static_cast<int>(held->of(number)), 0, 0};
    for (int i = 0; i < 3; ++i)
      if (wanted.sets[i] != nullptr && FD_ISSET(number, wanted.sets[i])) entry.events |= kEvents[i];
    if (entry.events == 0) continue;
    os::system_call(SYS_poll, reinterpret_cast<long>(&entry), 1, 0);
    const bool ends = (entry.revents & ~(POLLIN | POLLOUT | POLLPRI)) != 0 && entry.events != POLLPRI;
    if ((entry.revents & entry.events) != 0 || ends) return true;
  }
  return false;
}

long select_until(const SystemCall& call, const Limit& limit, Site site) {
  const long* const a = call.arguments;
  SelectSets wanted{
      a[0], {reinterpret_cast<fd_set*>(a[1]), reinterpret_cast<fd_set*>(a[2]), reinterpret_cast<fd_set*>(a[3])}};
  if (limit.nowhere) return -EFAULT;
  if (limit.wrong || wanted.count < 0) return -EINVAL;
  if (wanted.count > kMaxSelected) return pass(call);
  const auto bytes = static_cast<std::size_t>((wanted.count + 63) / 64 * 8);
  for (const fd_set* set : wanted.sets)
    if (set != nullptr && !is_readable(reinterpret_cast<long>(set), bytes)) return -EFAULT;
  Waiting waiting;
  waiting.ready = select_ready;
  waiting.names = select_names;
  waiting.data = &wanted;
  int first = -1;
  for (int i = 0; i < wanted.count; ++i)
    for (const fd_set* set : wanted.sets) {
      if (set == nullptr || !FD_ISSET(i, set)) continue;
      if (first < 0) first = i;
      check_outside(waiting, i, first == i);
    }
  if (first < 0) return sleep_for(limit, site);
  judge_effect(call);
  return wait_and_check(waiting, object_of(first, site), limit, site, [&] {
    fd_set found[3];
    const long result = select_now(wanted, found, waiting.held);
    for (int i = 0; i < 3 && result >= 0; ++i)
      if (wanted.sets[i] != nullptr && (result > 0 || runtime.world->clock().now() >= limit.deadline))
        memcpy(wanted.sets[i], &found[i], bytes);
    return result;
  });
}

// The sets are cleared when the time is over, which is when nothing was found.
Nanoseconds left_until(Nanoseconds deadline) {
  const Nanoseconds left = deadline - runtime.world->clock().now();
  return deadline == kNoDeadline || left < 0 ? 0 : left;
}

// --- epoll

long epoll_until(const SystemCall& call, const Limit& limit, Site site) {
  if (limit.nowhere) return -EFAULT;
  if (limit.wrong) return -EINVAL;
  const long descriptor = call.arguments[0];
  if (kind_of(descriptor) != DescriptorKind::EpollSet || call.arguments[2] <= 0) {
    SystemCall wrong = call;
    wrong.number = SYS_epoll_wait;
    wrong.arguments[3] = 0;
    return pass(wrong);
  }
  judge_effect(call);
  Waiting waiting = wait_for(descriptor, POLLIN, limit.none_left);
  SystemCall query = call;
  query.number = SYS_epoll_wait;
  query.arguments[3] = 0;
  return wait_and_check(waiting, object_of(descriptor, site), limit, site, [&] { return make_on(waiting, query); });
}

}  // namespace

long perform_poll(const SystemCall& call, Site site) {
  return poll_until(call, limit_of_milliseconds(static_cast<int>(call.arguments[2])), site);
}

long perform_ppoll(const SystemCall& call, Site site) {
  const Limit limit = limit_of(reinterpret_cast<const timespec*>(call.arguments[2]));
  if (limit.nowhere || limit.wrong) return poll_until(call, limit, site);
  return with_mask(call.arguments[3], call.arguments[4], true, [&] { return poll_until(call, limit, site); });
}

long perform_select(const SystemCall& call, Site site) {
  auto* time = reinterpret_cast<timeval*>(call.arguments[4]);
  if (time == nullptr) return select_until(call, {}, site);
  if (!is_readable(call.arguments[4], sizeof *time)) return -EFAULT;
  constexpr long kMicroseconds = 1'000'000;
  const timespec limit{time->tv_sec + time->tv_usec / kMicroseconds, time->tv_usec % kMicroseconds * 1000};
  const Limit wanted = limit_of(&limit);
  const long result = select_until(call, wanted, site);
  const Nanoseconds left = left_until(wanted.deadline);
  if (result >= 0) *time = {left / 1'000'000'000, left % 1'000'000'000 / 1000};
  return result;
}

long perform_pselect(const SystemCall& call, Site site) {
  auto* time = reinterpret_cast<timespec*>(call.arguments[4]);
  const Limit wanted = limit_of(time);
  struct {
    long mask, size;
  } masked{0, 0};
  if (call.arguments[5] != 0) {
    if (!is_readable(call.arguments[5], sizeof masked)) return -EFAULT;
    memcpy(&masked, reinterpret_cast<const void*>(call.arguments[5]), sizeof masked);
  }
  const auto wait = [&] { return select_until(call, wanted, site); };
  const long result = wanted.nowhere || wanted.wrong ? wait() : with_mask(masked.mask, masked.size, true, wait);
  const Nanoseconds left = left_until(wanted.deadline);
  if (time != nullptr && result >= 0) *time = {left / 1'000'000'000, left % 1'000'000'000};
  return result;
}

long perform_epoll_wait(const SystemCall& call, Site site) {
  const Limit limit = limit_of_milliseconds(static_cast<int>(call.arguments[3]));
  const bool masked = call.number == SYS_epoll_pwait;
  return with_mask(masked ? call.arguments[4] : 0, call.arguments[5], false,
                   [&] { return epoll_until(call, limit, site); });
}

long perform_epoll_pwait2(const SystemCall& call, Site site) {
  const Limit limit = limit_of(reinterpret_cast<const timespec*>(call.arguments[3]));
  if (limit.nowhere || limit.wrong) return epoll_until(call, limit, site);
  return with_mask(call.arguments[4], call.arguments[5], false, [&] { return epoll_until(call, limit, site); });
}

}  // namespace heddle::runtime

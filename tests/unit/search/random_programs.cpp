// The random programs of pretend_target.h.
#include <random>

#include "search/pretend_target.h"

namespace heddle::test {
namespace {

using Draw = std::mt19937_64;

unsigned below(Draw& draw, unsigned limit) { return static_cast<unsigned>(draw() % limit); }

// Of the three, neighbours count as simultaneous, and the first and the last do not.
Nanoseconds draw_deadline(Draw& draw) { return kSameDeadline * 6 / 10 * (1 + below(draw, 3)); }
Nanoseconds maybe_deadline(Draw& draw) { return below(draw, 2) == 0 ? kNoDeadline : draw_deadline(draw); }

Timeouts draw_timeouts(Draw& draw) {
  constexpr Timeouts kDrawn[] = {Timeouts::Early, Timeouts::Late, Timeouts::Early, Timeouts::Ordered};
  return kDrawn[below(draw, 4)];
}

// A few calls that belong together, so that mutexes are unlocked by their owners.
void add_block(Draw& draw, std::vector<Call>& calls) {
  const unsigned mutex = below(draw, 2), other = below(draw, 2);
  switch (below(draw, 9)) {
    case 0:
    case 1:
      calls.push_back({OperationKind::MutexLock, mutex});
      calls.push_back({OperationKind::MutexUnlock, mutex});
      break;
    case 2:
      calls.push_back({OperationKind::MutexLock, 0});
      calls.push_back({OperationKind::ConditionWait, 0, 0, maybe_deadline(draw)});
      calls.push_back({OperationKind::MutexUnlock, 0});
      break;
    case 3:
      calls.push_back({OperationKind::ConditionSignal, 0});
      break;
    case 4:
      calls.push_back({OperationKind::ConditionBroadcast, 0});
      break;
    case 5:
      calls.push_back({OperationKind::SemaphoreWait, other, 0, maybe_deadline(draw)});
      break;
    case 6:
      calls.push_back({OperationKind::SemaphorePost, other});
      break;
    case 7:
      calls.push_back({OperationKind::Yield});
      break;
    case 8:
      calls.push_back({OperationKind::Sleep, 0, 0, draw_deadline(draw)});
      break;
  }
}

}  // namespace

Program random_program(std::uint64_t seed) {
  Draw draw(seed);
  Program program;
  program.limits.timeouts = draw_timeouts(draw);
  program.limits.spurious_wakeups = below(draw, 3) == 0 ? 1 : 0;
  program.tasks.resize(2 + below(draw, 2));
  for (auto& calls : program.tasks)
    for (unsigned blocks = 1 + below(draw, program.tasks.size() == 2 ? 3 : 2); blocks > 0; --blocks)
      add_block(draw, calls);
  return program;
}

namespace {

constexpr unsigned kMixedBlocks = 16;

// A few calls that belong together; see mixed_program().
void add_mixed_block(Draw& draw, unsigned block, std::vector<Call>& calls, bool deadlines) {
  using K = OperationKind;
  using If = Call::If;
  const unsigned one = below(draw, 4) == 0 ? 1 : 0, other = below(draw, 2), value = 1 + below(draw, 3);
  const auto deadline = [&] { return deadlines ? maybe_deadline(draw) : kNoDeadline; };
  const auto add = [&](Call call) { calls.push_back(call); };
  switch (block) {
    case 0:
      add({K::MutexLock, one, 0, deadline()});
      add({.kind = K::MutexUnlock, .object = one, .only_if = If::Zero});
      break;
    case 1:
      add({K::MutexTryLock, one});
      add({.kind = K::MutexUnlock, .object = one, .only_if = If::Zero});
      break;
    case 2:
      add({K::MutexLock, 0});
      add({K::ConditionWait, 0, 0, deadline()});
      add({K::MutexUnlock, 0});
      break;
    case 3:
      add({below(draw, 3) == 0 ? K::ConditionBroadcast : K::ConditionSignal, 0});
      break;
    case 4:
      add({K::SemaphoreWait, one, 0, deadline()});
      break;
    case 5:
      add({K::SemaphorePost, one});
      break;
    case 6:
      add({K::SemaphoreTryWait, one});
      add({.kind = K::AtomicStore, .object = other, .argument = value, .only_if = If::NotZero});
      break;
    case 7:
      add({K::ReadLock, one, 0, deadline()});
      add({.kind = K::RwUnlock, .object = one, .only_if = If::Zero});
      break;
    case 8:
      if (below(draw, 2) == 0)
        add({K::WriteLock, one, 0, deadline()});
      else
        add({K::TryWriteLock, one});
      add({.kind = K::RwUnlock, .object = one, .only_if = If::Zero});
      break;
    case 9:
      add({.kind = K::AtomicLoad, .object = one});
      add({.kind = K::AtomicStore, .object = other, .argument = value, .only_if = If::Zero});
      break;
    case 10:
      add({.kind = K::AtomicStore, .object = one, .argument = value});
      break;
    case 11:
      add({.kind = K::AtomicUpdate, .object = one, .argument = below(draw, 2)});
      break;
    case 12:
      add({.kind = K::AtomicCompareExchange, .object = one, .object2 = below(draw, 2), .argument = value});
      break;
    case 13:
      add({.kind = K::Choose, .argument = 2});
      add({.kind = K::SemaphorePost, .object = one, .only_if = If::NotZero});
      break;
    case 14:
      add({below(draw, 2) == 0 ? K::SpinLock : K::SpinTryLock, one});
      add({.kind = K::SpinUnlock, .object = one, .only_if = If::Zero});
      break;
    case 15:
      add(deadlines ? Call{K::Sleep, 0, 0, draw_deadline(draw)} : Call{K::Yield});
      break;
  }
}

}  // namespace

Program mixed_program(std::uint64_t seed, bool deadlines) {
  Draw draw(seed * 0x9e3779b97f4a7c15u);
  Program program;
  program.limits.fair = false;
  program.limits.timeouts = draw_timeouts(draw);
  program.tasks.resize(2 + below(draw, 3));
  const unsigned kinds[] = {below(draw, kMixedBlocks), below(draw, kMixedBlocks), below(draw, kMixedBlocks)};
  for (auto& calls : program.tasks)
    for (unsigned blocks = 1 + below(draw, 5 - static_cast<unsigned>(program.tasks.size())); blocks > 0; --blocks)
      add_mixed_block(draw, kinds[below(draw, 3)], calls, deadlines);  // few kinds, so that tasks meet
  // Task 0 waits for the others, as most programs do: else the end of the process races with everything. Or a task
  // waits for another one in mid-run.
  if (below(draw, 3) != 0)
    for (unsigned task = 1; task < program.tasks.size(); ++task)
      program.tasks[0].push_back({OperationKind::ThreadJoin, task});
  else if (program.tasks.size() > 2)
    program.tasks[1].insert(program.tasks[1].begin() + below(draw, 2), {OperationKind::ThreadJoin, 2});
  return program;
}

Program alike_program(std::uint64_t seed, bool deadlines) {
  using K = OperationKind;
  Draw draw(seed * 0x9e3779b97f4a7c15u + 2);
  Program program;
  program.alike = true;
  program.limits.fair = below(draw, 2) == 0;
  program.limits.timeouts = draw_timeouts(draw);
  const unsigned kinds[] = {below(draw, kMixedBlocks), below(draw, kMixedBlocks)};
  const auto add_some = [&](std::vector<Call>& calls, unsigned most) {
    for (unsigned blocks = 1 + below(draw, most); blocks > 0; --blocks)
      add_mixed_block(draw, kinds[below(draw, 2)], calls, deadlines);
  };
  const unsigned alike = below(draw, 4) == 0 ? 3 : 2, other = below(draw, 4) == 0 ? 1 : 0;
  program.tasks.resize(1 + alike + other);
  add_some(program.tasks[1], alike == 2 && other == 0 ? 2 : 1);
  for (unsigned task = 2; task <= alike; ++task) program.tasks[task] = program.tasks[1];
  if (other != 0) add_some(program.tasks.back(), 1);
  std::vector<Call>& first = program.tasks[0];
  if (below(draw, 2) == 0) add_some(first, 1);
  const unsigned way = below(draw, 4);
  for (unsigned task = 1; task < program.tasks.size() && way != 0; ++task) {
    first.push_back({K::ThreadJoin, task});
    if (way == 1 && task == 1) add_some(first, 1);  // it knows which of them has ended
  }
  if (way == 2) add_some(first, 1);
  return program;
}

Program piped_program(std::uint64_t seed) {
  using K = OperationKind;
  Draw draw(seed * 0x9e3779b97f4a7c15u);
  Program program;
  program.limits.fair = false;
  program.tasks.resize(2 + below(draw, 2));
  const bool deadlines = below(draw, 3) == 0;
  for (auto& calls : program.tasks) {
    for (unsigned blocks = 1 + below(draw, 5 - static_cast<unsigned>(program.tasks.size())); blocks > 0; --blocks) {
      const unsigned pipe = below(draw, 4) == 0 ? 1 : 0;
      switch (below(draw, 8)) {
        case 0:
        case 1:
        case 2:
          calls.push_back({.kind = K::DescriptorWrite, .object = pipe, .argument = 1 + below(draw, 2)});
          break;
        case 3:
        case 4:
          calls.push_back({K::DescriptorRead, pipe, 0, deadlines ? maybe_deadline(draw) : kNoDeadline});
          break;
        case 5:
          calls.push_back({K::DescriptorWait, pipe});
          if (below(draw, 2) == 0)
            calls.push_back({.kind = K::DescriptorWrite, .object = 1, .argument = 3, .only_if = Call::If::Zero});
          break;
        case 6:
          calls.push_back({K::MutexLock, 0});
          calls.push_back({K::MutexUnlock, 0});
          break;
        case 7:
          calls.push_back({.kind = K::AtomicStore, .object = pipe, .argument = below(draw, 3)});
          break;
      }
    }
  }
  for (unsigned task = 1; task < program.tasks.size(); ++task)
    program.tasks[0].push_back({OperationKind::ThreadJoin, task});
  return program;
}

Program with_once(Program program, std::uint64_t seed) {
  using If = Call::If;
  Draw draw(seed * 0x9e3779b97f4a7c15u + 1);
  for (auto& calls : program.tasks) {
    std::vector<Call> made;
    unsigned most = 2;
    for (std::size_t next = 0; next <= calls.size(); ++next) {
      // Not between two calls of which the second depends on what the first returned.
      const bool free = next == calls.size() || (calls[next].only_if == If::Always && calls[next].loop == 0);
      if (free && most > 0 && below(draw, 2) == 0) {
        --most;
        const unsigned one = below(draw, 4) == 0 ? 1 : 0;
        made.push_back({OperationKind::OnceBegin, one});
        made.push_back({.kind = below(draw, 4) == 0 ? OperationKind::OnceAbort : OperationKind::OnceEnd,
                        .object = one,
                        .only_if = If::NotZero});
      }
      if (next < calls.size()) made.push_back(calls[next]);
    }
    calls = std::move(made);
  }
  return program;
}

Program with_scopes(Program program, std::uint64_t seed, bool regions) {
  Draw draw(seed);
  for (auto& calls : program.tasks)
    for (Call& call : calls)
      if (below(draw, 2) == 0) regions ? void(call.in_region = true) : void(call.site = kUnpreemptibleSite);
  return program;
}

}  // namespace heddle::test

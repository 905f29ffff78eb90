// The choice of steps to show; see step_selection.h.
#include "report/step_selection.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/interpreter_lock.h"
#include "analysis/outcome.h"
#include "analysis/waiting.h"
#include "protocol/scripts.h"

namespace heddle {
namespace {

// A page stays readable: of more steps that matter, the first few and the last many are shown.
struct Room {
  std::size_t at_start;
  std::size_t at_end;
};
constexpr Room kRoom{30, 120};
constexpr Room kRoomForLivelock{16, 16};  // its steps repeat

Room room_for(const Execution& execution) {
  const Loop loop = loop_of(execution);
  if (loop.proved)
    return {kRoomForLivelock.at_start,
            std::clamp(execution.steps.size() - loop.first + 2, kRoomForLivelock.at_end, kRoom.at_end)};
  return execution.end.end == EndKind::StepLimit ? kRoomForLivelock : kRoom;
}

// Fewer steps than this are not worth a folding line.
constexpr std::size_t kMinFolded = 2;

using K = OperationKind;

bool telling(const StepRecord& step) {
  if (stops(step) || goes_on_behind_release(step)) return true;
  switch (step.operation) {
    case K::ThreadCreate:
    case K::ThreadExit:
    case K::ThreadJoin:
    case K::ProcessExit:
    case K::ProcessFork:
    case K::ProcessStart:
    case K::ProcessWait:
    case K::ConditionWait:
    case K::ConditionWake:
    case K::ConditionSignal:
    case K::ConditionBroadcast:
    case K::BarrierArrive:
    case K::FutexWait:
    // What lets others go on, or takes away what they use.
    case K::FutexWake:
    case K::SemaphorePost:
    case K::Initialize:
    case K::ObjectFree:
    case K::KeyDelete:
    case K::MutexDestroy:
    case K::ConditionDestroy:
    case K::RwDestroy:
    case K::SemaphoreDestroy:
    case K::BarrierDestroy:
    case K::SpinDestroy:
      return true;
    case K::AtomicStore:
    case K::AtomicUpdate:
    case K::AtomicCompareExchange:
    case K::MemoryWrite:
    case K::MemoryRangeWrite:
    case K::MemoryFree:
      return (step.flags & StepFlags::Wrote) != 0;
    default:
      return step.variant == kTimeout || step.variant == kSpurious;
  }
}

// Where threads learn of each other: accesses to what another thread has written since this one looked.
class News {
 public:
  // In the order of the steps.
  bool tells(const StepRecord& step) {
    if (object_kind(step.operation) != ObjectKind::Memory || step.object == kNoObject) return false;
    Written& written = objects_[step.object];
    const std::size_t seen = std::exchange(seen_[{step.task, step.object}], written.times);
    const bool news = seen != written.times && written.by != step.task;
    if ((step.flags & StepFlags::Wrote) != 0) {
      written = {written.times + 1, step.task};
      seen_[{step.task, step.object}] = written.times;
    }
    return news;
  }

 private:
  struct Written {
    std::size_t times = 0;
    TaskId by = kNoTask;
  };
  std::map<ObjectId, Written> objects_;
  std::map<std::pair<TaskId, ObjectId>, std::size_t> seen_;
};

// One more read in a loop of them, with what was read before.
bool reads_again(const Execution& execution, std::size_t index) {
  constexpr std::size_t kLongestLoop = 8;
  const StepRecord& step = execution.steps[index];
  const auto only_reads = [](const StepRecord& one) {
    return object_kind(one.operation) == ObjectKind::Memory && (one.flags & StepFlags::Wrote) == 0;
  };
  for (std::size_t i = 0; i <= kLongestLoop && i < index && only_reads(execution.steps[index - i]); ++i) {
    const StepRecord& before = execution.steps[index - i - 1];
    if (before.task != step.task || !only_reads(before)) return false;
    if (before.site == step.site && before.object == step.object && before.result == step.result) return true;
  }
  return false;
}

std::set<ObjectId> final_objects(const Execution& execution) {
  std::set<ObjectId> objects;
  for (const PendingRecord& pending : execution.pending) {
    objects.insert(pending.object);
    objects.insert(pending.object2);
  }
  objects.erase(kNoObject);
  return objects;
}

// Where scripts create threads.
std::set<Site> creations_in_scripts(const Execution& execution) {
  std::set<Site> sites;
  for (const StepRecord& step : execution.steps)
    if (step.operation == K::ThreadCreate && is_in_script(step.site)) sites.insert(step.site);
  return sites;
}

// Steps that say nothing by themselves.
class Noise {
 public:
  Noise(const Execution& execution, Detail detail)
      : execution_(execution),
        detail_(detail),
        script_lock_(interpreter_lock(execution)),
        creations_(creations_in_scripts(execution)),
        services_(services_of(execution)) {}

  bool is(std::size_t index) const;
  bool of_service(std::size_t index) const { return services_.count(execution_.steps[index].task) != 0; }

 private:
  bool is_of_interpreter(const StepRecord& step) const;

  const Execution& execution_;
  Detail detail_;
  ObjectId script_lock_;
  std::set<Site> creations_;
  std::set<TaskId> services_;
};

// What CPython does by itself: for its lock, between the lines of the script and for its objects, and in
// Thread.start(), where two threads wait for each other on an object of that line's.
bool Noise::is_of_interpreter(const StepRecord& step) const {
  if (step.operation == K::ThreadCreate || step.operation == K::ThreadJoin) return false;
  if (step.operation == K::ProcessExit) return step.site == 0;  // there is one before it
  if (step.object == script_lock_)
    return step.operation == K::MutexUnlock || !is_in_script(step.site) || creations_.count(step.site) != 0;
  if (!is_in_script(step.site) || creations_.count(step.site) != 0) return true;
  const ObjectRecord* const object = step.object == kNoObject ? nullptr : execution_.object(step.object);
  if (object != nullptr && creations_.count(object->created_at) != 0) return true;
  if (object != nullptr && object->object_kind == ObjectKind::Semaphore && !is_in_script(object->created_at))
    return true;
  switch (step.operation) {
    case K::ClockRead:
      return !is_slow(step);
    case K::Initialize:
    case K::MutexDestroy:
    case K::SemaphoreDestroy:
      return true;
    case K::SemaphoreTryWait:  // that it is taken says that the thread waits
      return step.result == 0;
    case K::SemaphorePost:
      return object == nullptr || object->task == step.task;
    default:
      return false;
  }
}

// A thread's first step, and the return from creating one, where the same thread goes on; and what an interpreter does
// between the lines of a script.
bool Noise::is(std::size_t index) const {
  const auto& steps = execution_.steps;
  const K operation = steps[index].operation;
  if (operation == K::ThreadCreated || reads_again(execution_, index)) return true;
  if (script_lock_ != kNoObject && is_of_interpreter(steps[index])) return true;
  if (of_service(index)) return true;
  if (detail_ == Detail::Brief && (operation == K::ThreadStart || operation == K::ThreadExit)) return true;
  return operation == K::ThreadStart && index + 1 < steps.size() && steps[index + 1].task == steps[index].task;
}

// Around a switch: the last step before and the first after that say something.
void mark_switches(const Execution& execution, const Noise& noise, std::vector<bool>& shown) {
  const auto& steps = execution.steps;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (steps[i].task == steps[i + 1].task) continue;
    std::size_t before = i, after = i + 1;
    while (noise.is(before) && before > 0 && steps[before - 1].task == steps[i].task) --before;
    while (noise.is(after) && after + 1 < steps.size() && steps[after + 1].task == steps[i + 1].task) ++after;
    shown[before] = shown[after] = true;
  }
}

std::vector<bool> steps_that_matter(const Execution& execution, const Noise& noise) {
  const auto& steps = execution.steps;
  std::vector<bool> shown(steps.size(), false);
  const std::set<ObjectId> objects = final_objects(execution);
  News news;
  for (std::size_t i = 0; i < steps.size(); ++i)
    shown[i] = news.tells(steps[i]) || telling(steps[i]) || objects.count(steps[i].object) != 0 ||
               objects.count(steps[i].object2) != 0;
  mark_switches(execution, noise, shown);
  for (const ExecutionRace& race : execution.races)
    for (const std::size_t behind : {race.earlier.step, race.later.step})
      for (const std::size_t step : {behind - 1, behind})
        if (step < steps.size()) shown[step] = true;
  if (!steps.empty()) shown.front() = shown.back() = true;
  return shown;
}

void elide_middle(std::vector<bool>& shown, Room room) {
  const auto count = static_cast<std::size_t>(std::count(shown.begin(), shown.end(), true));
  if (count <= room.at_start + room.at_end) return;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (!shown[i]) continue;
    if (seen >= room.at_start && seen < count - room.at_end) shown[i] = false;
    ++seen;
  }
}

std::vector<Stretch> stretches(const Noise& noise, const std::vector<bool>& shown) {
  std::vector<Stretch> result;
  const auto add = [&](std::size_t first, std::size_t last, Stretch::How how) {
    if (!result.empty() && result.back().how == how)
      result.back().last = last;
    else
      result.push_back({first, last, how});
  };
  for (std::size_t i = 0; i < shown.size();) {
    std::size_t end = i, telling_steps = 0;
    for (; end < shown.size() && shown[end] == shown[i]; ++end) telling_steps += noise.is(end) ? 0 : 1;
    if (shown[i] || telling_steps >= kMinFolded) {
      add(i, end, shown[i] ? Stretch::How::Shown : Stretch::How::Folded);
    } else {
      for (; i < end; ++i) add(i, i + 1, noise.is(i) ? Stretch::How::Hidden : Stretch::How::Shown);
    }
    i = end;
  }
  return result;
}

}  // namespace

std::vector<Stretch> select_steps(const Execution& execution, const std::vector<std::uint32_t>& always, Detail detail) {
  const Noise noise(execution, detail);
  std::vector<bool> shown = steps_that_matter(execution, noise);
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (noise.is(i)) shown[i] = false;
  const Room room = room_for(execution);
  const Loop loop = loop_of(execution);
  if (loop.proved)  // the whole cycle; at a deadlock it is that of services
    for (std::size_t i = loop.first; i < shown.size(); ++i) shown[i] = noise.of_service(i) ? shown[i] : true;
  elide_middle(shown, room);
  for (const std::uint32_t step : always)
    if (step < shown.size()) shown[step] = true;
  return stretches(noise, shown);
}

}  // namespace heddle

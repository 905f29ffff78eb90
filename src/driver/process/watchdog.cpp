// See watchdog.h.
#include "driver/process/watchdog.h"

#include <utility>

#include "driver/process/inspect.h"

namespace heddle {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};   // without progress, before we look what is going on
constexpr std::chrono::milliseconds kLongestGap{500};  // between two looks, when all is well
constexpr int kMaxInspections = 3;                     // while nothing changes, one per kPatience
constexpr std::size_t kMaxNotes = 100;

std::string at(const Activity& activity) { return activity.place.empty() ? "" : " at " + activity.place; }

// Where the call is classified; calls without a name of their own are not.
std::string line_of(const std::string& call) {
  return call.find(' ') == std::string::npos ? " (docs/API.md#" + call + ")" : "";
}

std::string blocked_text(const Activity& activity, bool branching) {
  return "the program is blocked in the kernel: " + activity.system_call + at(activity) +
         "; Heddle does not control this call" + line_of(activity.system_call) +
         (branching
              ? ", and no other thread runs meanwhile. If it waits for another thread of the program, the schedule "
                "can't go on and is given up after --execution-timeout"
              : "; the search has not begun, and until then it does not control such calls");
}

std::string running_text(const Activity& activity) {
  if (activity.in_runtime)
    return "Heddle itself has been working for a second without coming to the next step" + at(activity) +
           "; most likely it keeps or puts back what the program has written. If that is much, --checkpoints=never or "
           "--isolation=fork may be faster";
  return "the program has used processor time for a second without coming to a scheduling point" + at(activity) +
         "; if it waits there for another thread, that one can't run: the schedule is given up after "
         "--execution-timeout";
}

}  // namespace

Watchdog::Watchdog(double limit_s, std::string library) : limit_(limit_s), library_(std::move(library)) { restart(); }

void Watchdog::restart() {
  phase_ = {};
  heartbeat_ = 0;
  inspections_ = 0;
  phase_began_ = last_progress_ = checked_ = Clock::now();
}

// While nobody looked (the driver wrote a page, or the machine slept) the target may have waited for us, or may not
// have run at all: such a time is not held against it.
void Watchdog::exclude(Clock::duration unseen) {
  if (unseen < kLongestGap) return;
  phase_began_ += unseen;
  last_progress_ += unseen;
}

bool Watchdog::overdue(const Status& status, int process, bool busy) {
  const auto now = Clock::now();
  exclude(now - std::exchange(checked_, now));
  const Phase phase{status.state.load(), status.executions.load()};
  const std::uint64_t heartbeat = status.heartbeat.load() + status.drafted.load();
  if (!busy || phase != phase_) phase_began_ = now;
  if (!busy || phase != phase_ || heartbeat != heartbeat_) {
    last_progress_ = now;
    inspections_ = 0;
  }
  phase_ = phase;
  heartbeat_ = heartbeat;
  if (inspections_ < kMaxInspections && now - last_progress_ >= kPatience * (inspections_ + 1)) {
    ++inspections_;
    inspect(status, process, false);
  }
  const bool is_overdue = now - phase_began_ > limit_;
  if (is_overdue && phase.state < WorkerState::Branching) inspect(status, process, true);
  return is_overdue;
}

void Watchdog::inspect(const Status& status, int process, bool at_the_end) {
  const int executing = status.executing.load(), controller = status.controller.load();
  const int stuck = executing != 0 ? executing : controller != 0 ? controller : process;
  if (!descends_from(stuck, process)) return;  // the numbers are in the program's reach: never touch a stranger
  const bool branching = status.state.load() >= WorkerState::Branching;
  const Activity activity = inspect_process(stuck, library_);
  if (activity.kind == Activity::Kind::Blocked) note_once(blocked_text(activity, branching));
  if (activity.kind == Activity::Kind::Running && branching) note_once(running_text(activity));
  if (activity.kind == Activity::Kind::Running && !branching && at_the_end)
    note_once("when its time was over, the program had created no thread and was running" + at(activity));
}

void Watchdog::note_once(const std::string& text) {
  if (noted_.size() < kMaxNotes && noted_.insert(text).second) notes_.push_back(text);
}

std::vector<std::string> Watchdog::take_notes() { return std::exchange(notes_, {}); }

}  // namespace heddle

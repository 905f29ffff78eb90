// How the process that runs executions tells the zygote, its parent, that it can't go on itself.
#pragma once

namespace heddle::runtime {

// As exit status of that process. The program can't exit itself under snapshot isolation, so these are not its own.
enum class Retirement : int {
  OwnProcess = 80,  // the next plan wants a process of its own
  MoreTasks = 81,   // the present plan needs more threads than were parked: it is to be run again
  Unavailable = 82  // snapshots can't be used: the present plan is to be run again, under fork isolation
};

// `reason`: for Unavailable, what the user is told (a sentence without a full stop).
[[noreturn]] void retire(Retirement why, const char* reason = nullptr);

}  // namespace heddle::runtime

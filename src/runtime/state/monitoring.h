// Does a monitor watch the present execution? This is asked at every step, block of the heap and switch.
#pragma once

#include "protocol/monitors.h"

namespace heddle::runtime {

struct ExecutionMonitors {
  MonitorSet active = 0;  // of detect/monitor/monitor.h; none in a child that the program has forked
};
extern ExecutionMonitors execution_monitors;
inline bool monitored() { return __builtin_expect(execution_monitors.active != 0, 0); }

}  // namespace heddle::runtime

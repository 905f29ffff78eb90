// Does anybody watch the present execution? Every step, every block of the heap and every switch asks.
#pragma once

#include "protocol/monitors.h"

namespace heddle::runtime {

// The monitors of the present execution (detect/monitor/monitor.h). Empty in a child that the program has forked.
extern MonitorSet active_monitors;
inline bool monitored() { return __builtin_expect(active_monitors != 0, 0); }

}  // namespace heddle::runtime

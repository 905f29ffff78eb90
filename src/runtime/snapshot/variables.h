// What the program's variables hold at the end of an execution: what is compared between executions that count as
// equivalent (driver/explore/samples.h). Looked at are the writable data of the program itself and of its libraries,
// other than those of the system. Left out is what may rightly differ: marks of synchronization objects. Addresses of
// heaps, stacks and mappings are recorded as such (kSomeAddress).
#pragma once

namespace heddle::runtime {

// At the branching point: where they are. What is loaded later is not looked at.
void find_variables();
// Where the plan asks for it (PlanFlags::Memory), and clocks were not read by several tasks: whose reads come first
// decides what they show.
void record_variables();

}  // namespace heddle::runtime

// The contents of the program's variables at the end of an execution. They are compared between executions that count
// as equivalent (driver/explore/samples.h). The variables are the writable data of the program and of its libraries,
// except those of the system. Marks of synchronization objects are left out, since they may rightly differ. Addresses
// of heaps, stacks and mappings are recorded as such (kSomeAddress).
#pragma once

namespace heddle::runtime {

// At the branching point: where they are. What is loaded later is not looked at.
void find_variables();
// Where the plan asks for it (PlanFlags::Memory), and clocks were not read by several tasks: whose reads come first
// decides what they show.
void record_variables();

}  // namespace heddle::runtime

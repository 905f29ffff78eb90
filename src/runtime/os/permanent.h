// Under snapshot isolation all variables of the runtime are restored between executions like the program's, except
// those with this mark: bookkeeping that outlives an execution, and constants that need not be copied. Such a variable
// must not point to anything that is restored, and must make sense at any step of any execution.
#pragma once

#define HEDDLE_PERMANENT __attribute__((section("heddle_permanent")))

// Giving up a share of an object. It is split in two: the part that exceptions pass through is C compiled with
// unwinding (counted_objects_unwind.c), as in once.h.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Of any of these functions: each has one argument or two, and a result or none.
typedef void* (*HeddleGiveUp)(void* share, const void* other);  // NOLINT(modernize-use-using): C, too

// function(share, other), in which no access of the task is looked at, also where an exception or forced unwinding
// leaves it.
__attribute__((visibility("hidden"))) void* heddle_give_up(HeddleGiveUp function, void* share, const void* other);
__attribute__((visibility("hidden"))) void heddle_ignore_accesses(int begin);

#ifdef __cplusplus
}
#endif

// What the lines of claims.h mean, at length: --explain prints these sentences behind the lines, JSON holds them. They
// are for readers who know threads, but not the words of this field.
#pragma once

namespace heddle::meaning {

// --- what was proved

inline constexpr const char* kNoVerdict =
    "No schedule came to an end that says something about the program. So nothing is known of it: neither that it "
    "fails nor that it does not. The exit status is 3, so that nobody takes this for a success.";
inline constexpr const char* kSchedule = "A schedule is one order in which the threads take their steps.";
inline constexpr const char* kAll =
    "Of all that this test has with this input, none is left. So no order of its threads fails";
inline constexpr const char* kPreemption =
    "A preemption takes the processor away from a thread that could have gone on. Switches where a thread waits or "
    "ends are no preemptions.";
inline constexpr const char* kDelay = "A delay passes over the thread whose turn it is.";
inline constexpr const char* kWithin = "Within the bound, no order of the threads fails";
inline constexpr const char* kBeyond =
    "Nothing is known of the schedules beyond the bound. More time (--time) raises it. With --require-bound=N a run "
    "that did not come so far ends with status 3.";
inline constexpr const char* kUnder =
    "That holds for what was checked, and under what is assumed; the lines below say both.";
inline constexpr const char* kEquivalent =
    "Two schedules are equivalent where they differ only in the order of independent steps, such as locks of two "
    "different mutexes. They come to the same state, so one of them is run.";
inline constexpr const char* kEarlyEnd =
    "Where the process ends while threads could go on, and none of the program's code runs then, the schedule that "
    "ends later stands for the one that ends earlier.";
inline constexpr const char* kFair = "A fair schedule lets others go first where a thread yields, sleeps or times out.";
inline constexpr const char* kNothing =
    "Only a set of schedules that is complete proves something: all without a preemption, for example. The schedules "
    "that were run are a sample. They can show bugs, but they say nothing about the schedules that were not run.";

// --- estimates

inline constexpr const char* kChanceOfNew =
    "The estimate goes by how many sets of equivalent schedules were seen once (Good and Turing): where most were "
    "seen several times, few new ones are left. The limit held in 97 of 100 simulations. It proves nothing: a rare "
    "schedule may still fail.";
inline constexpr const char* kMissed =
    "The search pct has a theorem: each schedule that it draws shows a bug of a given depth with at least a certain "
    "chance. The figure is the chance that all its draws of this run missed such a bug, if there is one. The depth "
    "is 1 for most order violations, and 2 for most atomicity violations and for a deadlock of two locks.";

// --- what was not checked

inline constexpr const char* kPointsPlain =
    "Heddle switches threads at the calls of libraries that synchronize: locks, condition variables, semaphores, the "
    "start and end of threads, and the like. What a thread does between two such calls ran in one piece in every "
    "schedule. So a bug that needs another thread in between does not show; lock-free code has such bugs. In code "
    "that heddle-cc or heddle-c++ compiled, threads are also switched at atomic operations and at accesses that race.";
inline constexpr const char* kPointsPatched =
    "Heddle switches threads at the calls of libraries that synchronize, and before instructions that change memory in "
    "one piece (a lock prefix, or xchg) and fences. Such an instruction stays as it is where a jump to Heddle has no "
    "room. An atomic load, and a store that is not sequentially consistent, is a plain instruction on this processor, "
    "and is not told from others: it ran in one piece with what is around it. In code that heddle-cc or heddle-c++ "
    "compiled, these are seen, too.";
inline constexpr const char* kPointsPython =
    "Heddle switches threads before lines (or instructions) of the program's own files in Python, and at calls that "
    "wait "
    "or wake. What a thread does between two of these ran in one piece in every schedule; so did code of Python "
    "itself, "
    "of installed packages, and of libraries in C.";
inline constexpr const char* kNextOpcode =
    "With --python=opcode threads are also switched within lines, before each instruction: of `count += 1`, behind the "
    "read. There are more schedules then, and CPython itself may never switch at some of these places.";
inline constexpr const char* kPointsInstrumented =
    "In code that heddle-cc or heddle-c++ compiled, threads are also switched at atomic operations, at volatile "
    "accesses, and at plain accesses that were seen to race. Other code, such as the libraries of the system, ran in "
    "one piece from one library call to the next. Compile it with heddle-cc, too, to have it interleaved.";
inline constexpr const char* kPointsWithoutRaces =
    "Races were not looked for in every schedule (--races=ignore, or a note says why). So plain accesses ran in one "
    "piece with what the thread did before; threads were switched at atomic operations only.";
inline constexpr const char* kRacesPlain =
    "A data race is two accesses to one place in memory, one of them a write, that nothing puts in an order. It is "
    "undefined behaviour in C and C++. Heddle sees accesses in code that heddle-cc or heddle-c++ compiled, and "
    "nothing of this program was. It may have races: build it with heddle-c++ in place of the compiler and run it "
    "again.";
inline constexpr const char* kRacesInstrumented =
    "Heddle sees accesses in code that heddle-cc or heddle-c++ compiled. A race needs two accesses that are seen, so "
    "one with code of another compiler, such as a library of the system, does not show.";
inline constexpr const char* kRacesIgnored =
    "The program was built so that its accesses are seen, but races were not looked for in every schedule: "
    "--races=ignore asks for that, or a note says why. --races=bug looks for them.";
inline constexpr const char* kStopped =
    "In code without heddle-cc there is no place to switch threads between the end of a call and the begin of the "
    "next one. The system may do it there, so threads were also stopped behind some calls that let others go on. "
    "Bugs that were found so are real, but nothing is proved of these switches. --stops=N tries more of them.";
inline constexpr const char* kOtherVersion =
    "The parts of the program were compiled by the heddle-cc of another version, which this one does not understand. "
    "They were taken as code of a usual compiler: their accesses and atomic operations were not seen.";
inline constexpr const char* kStartAt =
    "--start-at asks for that. Up to the call the threads ran in one order, the same in every schedule. What fails "
    "in another order of that part does not show.";
inline constexpr const char* kNoPreempt =
    "--no-preempt asks for that. What fails only where a thread is preempted there does not show. Leave the option "
    "out to have these places explored.";
inline constexpr const char* kRegions =
    "Between heddle_atomic_begin() and heddle_atomic_end() no thread was preempted. What fails only where one is "
    "preempted there does not show.";
inline constexpr const char* kProcesses =
    "Heddle decides on the order of the threads of one process. The processes that it forked ran as the system "
    "chose, and other orders among them were not tried. --follow-fork=child explores a child instead.";
inline constexpr const char* kGoroutines =
    "Goroutines are no threads. Go's runtime runs them one after the other on threads of its own, by steps that Heddle "
    "does not see. So a bound is proved of its threads, and most orders of goroutines were never run.";
inline constexpr const char* kLeftControl =
    "Heddle has no hold on a process that becomes another program, and none on what comes before an exit that "
    "bypasses the C library. What went wrong there, or in another order of it, does not show.";
inline constexpr const char* kTooLong =
    "A schedule that takes more was cut off, so what it would have done next is not known. --max-steps=N allows more "
    "steps, and a test with fewer rounds needs fewer.";
inline constexpr const char* kLate =
    "A timeout fired only when no thread could go on. On a loaded machine it may fire earlier. Leave --timeouts=late "
    "out to have that tried.";
inline constexpr const char* kOrdered =
    "Time passed as if every thread were fast: deadlines came in their order, and behind whatever could still run. A "
    "bug that needs a slow thread does not show. Leave --timeouts=ordered out to have slow threads tried.";
inline constexpr const char* kTimely =
    "A slow thread is one that comes late to a deadline, because the machine is loaded. Time is virtual here, and it "
    "passed only while nobody could do anything else. A bug that needs a thread to be late at a clock read does not "
    "show.";
inline constexpr const char* kInput =
    "Two runs of one schedule were seen to differ, so the program gets something from outside that changes: a file, "
    "the network, a process. A schedule that ended well may fail with other input, and a bug may not come again. A "
    "test that makes its own input is checked better.";
inline constexpr const char* kRandom =
    "Every schedule got the same random numbers, so that schedules can be compared and repeated. What fails only "
    "with others does not show. --input-seed=N draws others.";
inline constexpr const char* kSpurious =
    "POSIX and C++ allow a wait on a condition variable to return although nobody has signalled. Code that waits in "
    "a loop is safe from that. Here no wait returned so, and a wait without a loop does not show.";

// --- what was included

inline constexpr const char* kEarlyTimeouts =
    "On a loaded machine a timeout may fire although a signal is on its way. Each wait with a time was also ended by "
    "it, at the price that the line names. --timeouts=late leaves this out.";
inline constexpr const char* kSlowThreads =
    "On a loaded machine a thread may come late to a deadline. At places that read a clock a thread was also a "
    "second late, at the price that the line names. --timeouts=late leaves this out.";
inline constexpr const char* kSpuriousTried =
    "POSIX and C++ allow a wait on a condition variable to return although nobody has signalled. That was tried as "
    "often as the line says, so a wait without a loop can show.";
inline constexpr const char* kWaiters =
    "Where one of several waiters is woken, the system may choose any. Each choice was tried, and none counts as a "
    "preemption.";

// --- what was assumed

inline constexpr const char* kFairAssumed =
    "A loop that waits by yielding or sleeping would never end if nobody else ran. So the thread that waits lets the "
    "others go first. A real system may run it several times in vain; what fails only then does not show.";
inline constexpr const char* kClasses =
    "Heddle tells by the operations that it sees which steps are independent, and runs one of the schedules that "
    "differ only in their order. If threads learn of each other by something that it does not see, steps may seem "
    "independent that are not, and a schedule that fails may be left out. Samples of what is left out are run, to "
    "notice that.";
inline constexpr const char* kSymmetric =
    "Of schedules in which such threads have swapped their parts, one is run. If a thread acts on its own number, or "
    "on the address of a variable on its stack, one that fails may be left out.";
inline constexpr const char* kMemory =
    "Every read gets what was written last, as if all threads shared one memory. Processors and compilers may let a "
    "thread see older values where the memory order of an atomic operation allows it. What fails only then shows "
    "where it is also a data race. --memory=rc11 lets loads read such values.";
inline constexpr const char* kBenign =
    "--benign=NAME says so. Accesses to such a variable are no scheduling points beside those that they are anyway, "
    "and their races are not reported. A bug that comes from one of them is missed.";
inline constexpr const char* kOldValues =
    "A load may read a value that another thread has replaced already, and a store may count as earlier than one "
    "that is there already, where nothing orders the two. Each such access is a choice of its own.";
inline constexpr const char* kNewestValues =
    "In a real machine these accesses could find an older value, too. A plain access that could is a data race, and "
    "is reported as one.";
inline constexpr const char* kStoredUnseen =
    "Heddle sees the stores of atomic operations in the program's own process. What else is written there shows only "
    "in the value that it leaves, and every load finds that one. A bug that needs an older value is missed.";
inline constexpr const char* kSequential =
    "The C++ memory model allows a little more: such a fence orders only what is before it in its own thread with what "
    "is behind another one, and two operations that synchronize by another variable need not have that order. A bug "
    "that "
    "needs this is missed, and a repair by seq_cst may promise more than C++ does.";
inline constexpr const char* kWeaker =
    "--relax asks for that. One order after the other was weakened in the model, and the test was searched again. It "
    "is a "
    "hint: another test, another bound or another machine than the model may need the order.";
inline constexpr const char* kEvicted =
    "A note says so. An old value that a thread could still have read was not kept, so what comes of it was not run.";
inline constexpr const char* kRealClock =
    "--clock=real asks for that. Which timeouts fire, and when, then depends on the load of the machine. Another run "
    "may differ.";

// --- what would help most

inline constexpr const char* kNextOrdered =
    "The bug comes only where a thread is late or a timeout fires early. You decide whether that is a mistake of the "
    "program, or of a test that counts on a fast machine.";
inline constexpr const char* kNextBuild =
    "Heddle sees most where the compiler has told it of every access. heddle-cc and heddle-c++ call gcc, or clang, "
    "and add that: CXX=heddle-c++ in most builds, INSTRUMENTED in heddle_discover_tests() of CMake.";
inline constexpr const char* kNextBuildOrPatch =
    "Heddle sees most where the compiler has told it of every access. heddle-cc and heddle-c++ call gcc, or clang, "
    "and add that: CXX=heddle-c++ in most builds, INSTRUMENTED in heddle_discover_tests() of CMake. What nobody can "
    "build again has scheduling points with --patch=yes: before each instruction that changes memory in one piece. "
    "Plain loads and stores stay unseen there, and there are more schedules.";
inline constexpr const char* kNextBound =
    "That is an order of magnitude, from how many schedules the bounds so far had, and how fast they ran.";
inline constexpr const char* kNextTime =
    "The number of schedules grows fast with each thread and each operation. With fewer of them the search comes to "
    "its end, or to a bound, and then something is proved.";

}  // namespace heddle::meaning

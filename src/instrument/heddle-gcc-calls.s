# The assembler reads this before gcc's output.
#
# First: a plain access costs no call while nobody watches accesses.
#
# gcc calls __tsan_read8() and its kin before each plain access. Natively these find a null pointer and return: six taken
# branches for a[i] = b[i] + c[i]. So the pointer is tested here, and the call is skipped if it is null:
#
#     cmpq $0, heddle_module+8(%rip)      the field `accesses` of struct Module (table.h; module.cpp checks the offset)
#     je   behind the call
#     call __tsan_read8
#
# The test changes the flags, but so may the call. The call's return address stays the same. The test is given in bytes,
# since inline assembly may have switched to .intel_syntax. {nooptimize} changes nothing of the instruction: it keeps
# the macro from expanding itself. All other calls pass through as they are written, except quoted names (call "a b"),
# which the assembler refuses here; callq "a b" does not use this macro.
#
# Without this part everything works as well; streams take twice as long.
#
# Second: atomic operations of inline assembly are scheduling points. Before an instruction with a lock prefix, and before
# each xchg, stands a call of heddle_inline_atomic() (inline_assembly.cpp), which leaves all registers and flags alone.
# The prefix may be a statement of its own ("lock; xchgl"), and whether it belongs to the xchg that comes next can't be
# known. So that xchg has a call of its own, and before it an instruction that may have the prefix as well. It changes
# no flags, and only memory that nobody uses: there is no red zone. inline_assembly.cpp passes over it.

.ifdef .Lheddle_calls  # the file is named twice
.purgem call
.purgem lock
.purgem heddle_exchange
.irp suffix,,b,w,l,q
.purgem xchg\suffix
.endr
.endif
.set .Lheddle_calls, 0

# The functions that do nothing if `accesses` is null, as their calls are written, and how long such a call is.
.macro heddle_tested names:vararg
.irp name,\names
.set ".Lheddle \name", 5
.set ".Lheddle \name@PLT", 5
.set ".Lheddle *\name@GOTPCREL(%rip)", 6
.set ".Lheddle [QWORD PTR \name@GOTPCREL[rip]]", 6
.endr
.endm
heddle_tested __tsan_read1, __tsan_read2, __tsan_read4, __tsan_read8, __tsan_read16
heddle_tested __tsan_write1, __tsan_write2, __tsan_write4, __tsan_write8, __tsan_write16
heddle_tested __tsan_unaligned_read2, __tsan_unaligned_read4, __tsan_unaligned_read8, __tsan_unaligned_read16
heddle_tested __tsan_unaligned_write2, __tsan_unaligned_write4, __tsan_unaligned_write8, __tsan_unaligned_write16
heddle_tested __tsan_read_range, __tsan_write_range, __tsan_vptr_update, __tsan_func_entry, __tsan_func_exit
.purgem heddle_tested

.macro call target:vararg
.ifdef ".Lheddle \target"
.byte 0x48, 0x83, 0x3d
.long heddle_module+8-5-.
.byte 0, 0x74, ".Lheddle \target"
.endif
{nooptimize} call \target
.endm

# 1: behind a prefix that is a statement. 2: within the instruction that a prefix belongs to.
.set .Lheddle_lock, 0
.macro lock instruction:vararg
{nooptimize} call heddle_inline_atomic
.byte 0xf0
.ifb \instruction
.set .Lheddle_lock, 1
.else
.set .Lheddle_lock, 2
\instruction
.set .Lheddle_lock, 0
.endif
.endm

.macro heddle_exchange name, operands:vararg
.if .Lheddle_lock == 1
.byte 0xf6, 0x54, 0x24, 0xff  # notb -1(%rsp)
.endif
.if .Lheddle_lock < 2
{nooptimize} call heddle_inline_atomic
.set .Lheddle_lock, 0
.endif
{nooptimize} \name \operands
.endm
.irp suffix,,b,w,l,q
.macro xchg\suffix operands:vararg
heddle_exchange xchg\suffix, \operands
.endm
.endr

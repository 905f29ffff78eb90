// The kernel's code in every process that tells the time without a system call (vdso(7)). libc itself uses it; static
// libraries and the runtimes of other languages call it without libc.
#pragma once

namespace heddle::runtime {

// Makes its functions lead to virtual time. Once, in the process that is controlled. Where the system does not let the
// code be changed (sealed mappings, a security module), such calls show real time.
void redirect_vdso();

}  // namespace heddle::runtime

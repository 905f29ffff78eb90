// The kernel's code in every process that tells the time without a system call (vdso(7)). libc uses it inside, and
// static libraries and other languages' runtimes call it past libc.
#pragma once

namespace heddle::runtime {

// Makes its functions lead to virtual time. Once, in the process that is controlled. Where the system does not let the
// code be changed (sealed mappings, a security module), such calls show real time.
void redirect_vdso();

}  // namespace heddle::runtime

// The names that a loaded file imports from others: what it may call.
#pragma once

#include <link.h>

#include <cstddef>

namespace heddle::runtime {

class Imports {
 public:
  explicit Imports(const dl_phdr_info& file);
  // Does one of the file's relocations name this symbol?
  bool has(const char* name) const;

 private:
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  struct Part {
    const ElfW(Rela) * entries;
    std::size_t bytes;
  } parts_[2] = {};
};

// Has the program, or a library that is not the system's, a thread that exits or cancels another before its function
// returns? Then glibc loads the unwinder (libgcc_s) in the middle of an execution, unless it is there already.
bool any_thread_unwinds();

}  // namespace heddle::runtime

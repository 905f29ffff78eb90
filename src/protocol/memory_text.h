// The words that begin the parts of the messages MessageKind::MemoryOrigin and MessageKind::HeapFault.
#pragma once

namespace heddle {

struct MemoryText {
  static constexpr const char* kBlock = "block";      // of the heap, given out
  static constexpr const char* kFreed = "freed";      // the same, given back
  static constexpr const char* kStack = "stack";      // of a thread
  static constexpr const char* kOverrun = "overrun";  // so many bytes behind a block were written to, at least
  // In front, of a MemoryOrigin that is an object's: the object's number follows.
  static constexpr const char* kObject = "object";
};

}  // namespace heddle

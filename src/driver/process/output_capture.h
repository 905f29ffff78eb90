// What the program prints: a memfd in place of its standard output and standard error. The runtime empties it before
// each execution; the driver reads it when an execution has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "driver/process/descriptor.h"

namespace heddle {

class OutputCapture {
 public:
  static constexpr std::size_t kKept = 1u << 20;  // more is cut out of the middle

  // Empty, or why it could not be set up.
  std::string create();
  int descriptor() const { return descriptor_.get(); }
  // Its first `most` bytes.
  std::string read(std::size_t most = SIZE_MAX) const;
  std::size_t size() const;
  void clear();
  void append(std::string_view text);

 private:
  bool set_flags();
  Descriptor descriptor_;
};

}  // namespace heddle

// A program that speaks the protocol without the runtime: this test executable itself, started by a worker. What it
// does is said by its one argument; see fake_target.cpp.
#pragma once

#include <string>

#include "driver/execute/worker.h"

namespace heddle::test {

// The test executable as a target that behaves as `manner` says.
Target fake_target(const std::string& manner);

}  // namespace heddle::test

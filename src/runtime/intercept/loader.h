// Notes on libraries that the program has loaded before executions begin.
#pragma once

namespace heddle::runtime {

void record_early_note();

}  // namespace heddle::runtime

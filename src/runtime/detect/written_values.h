// What plain accesses wrote, for the page that explains a bug. A compiler tells of a write before it is made, so the
// value is read when the task has gone on: at the next step, whoever takes it, since until then nobody else has run
// (record_written_value(), state/up_calls.h).
// Known in processes that replay one schedule, as the history of blocks (heap/block_history.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/records.h"

namespace heddle::runtime {

// The running task is about to write there, behind the step that it has just taken.
void note_write(const void* address, std::size_t size, Site site);
// The running task is about to write there without a step: what it wrote at another place before is read now.
void note_more_writing(std::uint64_t address, std::size_t size, Site site);
// The running task is about to make the later access of a race at `site`. `earlier_wrote`: the value that is there now
// is that of the earlier access.
void note_racing_access(std::uint64_t address, std::size_t size, Site site, bool earlier_wrote, bool later_writes);
}  // namespace heddle::runtime

// Turns the records of the targets, one target after the other, into executions, and lends these.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "driver/execute/lent_execution.h"
#include "driver/execute/same_sites.h"
#include "driver/process/shared_region.h"
#include "trace/decode.h"

namespace heddle {

class ExecutionReader {
 public:
  // `numbers`: of the files of the program; null: sites stay addresses.
  ExecutionReader(const Config& config, FileNumbers* numbers);

  // The records of another process come.
  void restart();
  // Reads records; true when an execution has ended. Then take it. `randomized`: are addresses?
  bool read(SharedRegion& region, bool randomized);
  LentExecution take();
  // Is an execution under way? Then this is its plan.
  std::optional<PlanId> open_plan() const;
  // The one that is under way, or has ended and waits to be taken.
  const Execution& current() const { return decoder_.current(); }
  // Ends the one that is under way: ExecutionDecoder::close().
  LentExecution close(const EndRecord& end, std::uint64_t sum);

  // The files that the target has loaded. Numbers are for those that are in every process from the beginning of
  // executions on.
  ModuleMap modules(const SharedRegion& region, bool randomized) const;

 private:
  std::span<const Record> known_again(std::span<const Record> records, const SharedRegion& region, bool randomized);

  ExecutionDecoder decoder_;
  const std::shared_ptr<LoanDesk> desk_ = std::make_shared<LoanDesk>();
  FileNumbers* const numbers_;
  SameSites same_sites_;
};

}  // namespace heddle

// See execution_reader.h.
#include "driver/execute/execution_reader.h"

#include <algorithm>

#include "driver/execute/step_limit.h"

namespace heddle {
namespace {

// Read at a time, so that an execution that never ends can't keep us from looking after it.
constexpr unsigned kMaxRecords = 1u << 16;

DecodeLimits decode_limits(const Config& config) {
  DecodeLimits limits;
  limits.steps = std::max(config.max_steps, StepLimit::kMost) + 1;
  return limits;
}

}  // namespace

ExecutionReader::ExecutionReader(const Config& config, FileNumbers* numbers)
    : decoder_(decode_limits(config)), numbers_(numbers) {}

void ExecutionReader::restart() {
  decoder_.reset();
  same_sites_.restart();
}

ModuleMap ExecutionReader::modules(const SharedRegion& region, bool randomized) const {
  const std::uint32_t at_start = region.modules_at_start();
  if (numbers_ == nullptr || !randomized) return region.modules();
  const ModuleMap modules = region.modules();
  ModuleMap numbered;
  for (ModuleMap::Entry entry : modules.entries()) {
    if (numbered.entries().size() < at_start) entry.number = numbers_->of(entry.path);
    numbered.add(std::move(entry));
  }
  return numbered;
}

std::span<const Record> ExecutionReader::known_again(std::span<const Record> records, const SharedRegion& region,
                                                     bool randomized) {
  if (numbers_ == nullptr || records.empty() || !randomized) return records;
  if (!same_sites_.known()) same_sites_.enter(modules(region, randomized));
  return same_sites_.translate(records);
}

bool ExecutionReader::read(SharedRegion& region, bool randomized) {
  for (std::size_t count = 0; count < kMaxRecords;) {
    const auto written = region.records().peek();
    const auto records = known_again(written, region, randomized);
    if (records.empty()) break;
    decoder_.reuse(desk_->take());
    const std::size_t taken = decoder_.feed(records.data(), records.size(), written.data());
    region.records().pass(taken);
    if (decoder_.complete()) return true;
    count += taken;
  }
  return false;
}

LentExecution ExecutionReader::take() { return {decoder_.take(), desk_}; }

std::optional<PlanId> ExecutionReader::open_plan() const {
  if (!decoder_.open()) return std::nullopt;
  return decoder_.current().plan;
}

LentExecution ExecutionReader::close(const EndRecord& end, std::uint64_t sum) {
  decoder_.close(end, sum);
  return take();
}

}  // namespace heddle

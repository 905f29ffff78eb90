// See rings.h; the rules of sleeping and waking are those of protocol/shared.h.
#include "driver/process/rings.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace heddle {
namespace {

constexpr std::uint32_t kPlanBatch = 64;
constexpr std::uint64_t kAcknowledgeBatch = 4096;

void wake(std::atomic<std::uint32_t>& sleeping) {
  if (sleeping.load() == 0 || sleeping.exchange(0) == 0) return;
  syscall(SYS_futex, &sleeping, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace

bool PlanRing::write(const Plan& plan) {
  PlanHeader header;
  header.id = plan.id;
  header.delta_count = static_cast<std::uint32_t>(plan.deltas.size());
  header.policy = plan.policy;
  header.flags = static_cast<std::uint16_t>(
      (plan.stacks ? PlanFlags::Stacks : 0) | (plan.own_process ? PlanFlags::OwnProcess : 0) |
      (plan.afresh ? PlanFlags::Afresh : 0) | (plan.fair ? 0 : PlanFlags::Unfair) |
      (plan.slow_threads ? 0 : PlanFlags::Punctual) | (plan.finish_freely ? PlanFlags::FinishFreely : 0) |
      (plan.memory ? PlanFlags::Memory : 0));
  header.policy_words = static_cast<std::uint32_t>(plan.for_policy.size());
  header.loop_from = plan.loop_from;
  header.max_steps = plan.max_steps;
  header.max_tasks = plan.max_tasks;
  if (!write_slots(header, plan.deltas.data(), plan.for_policy.data())) return false;
  if (++unannounced_ >= kPlanBatch) flush();
  return true;
}

bool PlanRing::write_slots(const PlanHeader& header, const Delta* deltas, const std::uint64_t* words) {
  auto& ring = shared_.plans;
  const std::uint32_t slots = plan_slots(header);
  const std::uint64_t used = written_ - ring.read.load(std::memory_order_acquire);
  if (used > ring.slots) corrupted_ = true;
  if (corrupted_ || used + slots > ring.slots) return false;
  std::memcpy(&shared_.plan_slot(written_), &header, sizeof header);
  std::uint64_t to = written_ + 1;
  const auto append = [&](const auto* items, std::uint32_t count) {
    for (std::uint32_t from = 0; from < count; from += kItemsPerSlot, ++to)
      std::memcpy(&shared_.plan_slot(to), items + from, std::min(kItemsPerSlot, count - from) * sizeof *items);
  };
  append(deltas, header.delta_count);
  append(words, header.policy_words);
  written_ += slots;
  ring.written.store(written_, std::memory_order_release);
  return true;
}

void PlanRing::flush() {
  unannounced_ = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // what was written comes before the look at who sleeps
  wake(shared_.plans.reader_sleeping);
}

void PlanRing::reset() {
  written_ = 0;
  unannounced_ = 0;
  corrupted_ = false;
}

std::span<const Record> RecordRing::peek() {
  if (read_ - acknowledged_ >= kAcknowledgeBatch) acknowledge();
  if (!available()) return {};
  const std::uint64_t to_edge = kExecutionSlots - (read_ & (kExecutionSlots - 1));
  return {&shared_.record(read_), static_cast<std::size_t>(std::min(written_ - read_, to_edge))};
}

bool RecordRing::available() {
  if (read_ != written_) return true;
  const std::uint64_t written = shared_.executions.written.load();
  if (written - read_ > kExecutionSlots) {
    corrupted_ = true;
    return false;
  }
  written_ = written;
  return read_ != written_;
}

void RecordRing::acknowledge() {
  acknowledged_ = read_;
  shared_.executions.read.store(read_);
  wake(shared_.executions.writer_sleeping);
}

void RecordRing::publish_for_the_dead() {
  const std::uint64_t drafted = shared_.status.drafted.load();
  if (drafted - shared_.executions.written.load() <= kExecutionSlots) shared_.executions.written.store(drafted);
}

std::atomic<std::uint32_t>* RecordRing::begin_wait() {
  acknowledge();
  auto& sleeping = shared_.executions.reader_sleeping;
  sleeping.store(1);
  return available() || corrupted_ ? nullptr : &sleeping;
}

void RecordRing::reset() {
  read_ = written_ = acknowledged_ = 0;
  corrupted_ = false;
}

}  // namespace heddle

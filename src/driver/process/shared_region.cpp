// See shared_region.h; the rules of sleeping and waking are those of protocol/shared.h.
#include "driver/process/shared_region.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "driver/process/system_error.h"

namespace heddle {
namespace {

constexpr std::uint32_t kPlanBatch = 64;
constexpr std::uint64_t kAcknowledgeBatch = 4096;
constexpr std::chrono::milliseconds kLongestSleep{50};

void wake(std::atomic<std::uint32_t>& sleeping) {
  if (sleeping.load() == 0 || sleeping.exchange(0) == 0) return;
  syscall(SYS_futex, &sleeping, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void sleep_on(std::atomic<std::uint32_t>& sleeping, std::chrono::milliseconds limit) {
  const timespec timeout{0, static_cast<long>(limit.count()) * 1'000'000};
  syscall(SYS_futex, &sleeping, FUTEX_WAIT, 1, &timeout, nullptr, 0);
}

// The program inherits it, and would see its own descriptors' numbers shift around a low one. With few descriptors
// allowed it stays where it is.
Descriptor out_of_the_way(Descriptor descriptor) {
  if (!descriptor) return descriptor;  // errno still says why
  const int high = fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kOwnDescriptors);
  return high >= 0 ? Descriptor(high) : std::move(descriptor);
}

// The program can write there. Empty: what is there is no text of the runtime's.
template <std::size_t capacity>
std::string text_in(const char (&place)[capacity]) {
  const std::size_t size = strnlen(place, capacity);
  std::string text(place, size);
  const bool is_text =
      size < capacity && std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  return is_text ? text : std::string();
}

}  // namespace

std::unique_ptr<SharedRegion> SharedRegion::create(std::string& error) {
  Descriptor descriptor = out_of_the_way(Descriptor(memfd_create("heddle", MFD_CLOEXEC)));
  if (!descriptor || ftruncate(descriptor.get(), sizeof(Shared)) != 0) {
    error = system_error("no memory could be set up for talking to the program (memfd_create)");
    return nullptr;
  }
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (memory == MAP_FAILED) {
    error = system_error("no memory could be set up for talking to the program (mmap)");
    return nullptr;
  }
  return std::unique_ptr<SharedRegion>(new SharedRegion(std::move(descriptor), ::new (memory) Shared));
}

SharedRegion::SharedRegion(Descriptor descriptor, Shared* shared)
    : descriptor_(std::move(descriptor)), shared_(shared) {
  shared_->size_mib = static_cast<std::uint32_t>(sizeof(Shared) >> 20);
}

SharedRegion::~SharedRegion() { munmap(shared_, sizeof(Shared)); }

ModuleMap SharedRegion::modules() const {
  ModuleMap map;
  const std::uint32_t count = std::min(shared_->modules.count.load(std::memory_order_acquire), kMaxModules);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Module& module = shared_->modules.modules[i];
    map.add({text_in(module.path), module.base, module.begin, module.end,
             module.instrumented.load(std::memory_order_relaxed) != 0});
  }
  return map;
}

void SharedRegion::reset() {
  const Config config = shared_->config;
  const std::uint32_t size_mib = shared_->size_mib;
  ::new (shared_) Shared;  // leaves the slots as they are
  shared_->config = config;
  shared_->size_mib = size_mib;
  plans_written_ = read_ = written_ = acknowledged_ = 0;
  unannounced_ = 0;
  corrupted_ = false;
}

bool SharedRegion::write(const Plan& plan) {
  PlanHeader header;
  header.id = plan.id;
  header.delta_count = static_cast<std::uint32_t>(plan.deltas.size());
  header.policy = plan.policy;
  header.flags = static_cast<std::uint16_t>(
      (plan.stacks ? PlanFlags::Stacks : 0) | (plan.own_process ? PlanFlags::OwnProcess : 0) |
      (plan.afresh ? PlanFlags::Afresh : 0) | (plan.finish_freely ? PlanFlags::FinishFreely : 0) |
      (plan.memory ? PlanFlags::Memory : 0));
  header.policy_words = static_cast<std::uint32_t>(plan.for_policy.size());
  header.loop_from = plan.loop_from;
  if (!write_slots(header, plan.deltas.data(), plan.for_policy.data())) return false;
  if (++unannounced_ >= kPlanBatch) flush();
  return true;
}

bool SharedRegion::write_slots(const PlanHeader& header, const Delta* deltas, const std::uint64_t* words) {
  auto& ring = shared_->plans;
  const std::uint32_t slots = plan_slots(header);
  const std::uint64_t used = plans_written_ - ring.read.load(std::memory_order_acquire);
  if (used > ring.slots) corrupted_ = true;
  if (corrupted_ || used + slots > ring.slots) return false;
  std::memcpy(&shared_->plan_slot(plans_written_), &header, sizeof header);
  std::uint64_t to = plans_written_ + 1;
  const auto append = [&](const auto* items, std::uint32_t count) {
    for (std::uint32_t from = 0; from < count; from += kItemsPerSlot, ++to)
      std::memcpy(&shared_->plan_slot(to), items + from, std::min(kItemsPerSlot, count - from) * sizeof *items);
  };
  append(deltas, header.delta_count);
  append(words, header.policy_words);
  plans_written_ += slots;
  ring.written.store(plans_written_, std::memory_order_release);
  return true;
}

void SharedRegion::flush() {
  unannounced_ = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);  // what was written comes before the look at who sleeps
  wake(shared_->plans.reader_sleeping);
}

void SharedRegion::publish_for_the_dead() {
  const std::uint64_t drafted = shared_->status.drafted.load();
  if (drafted - shared_->executions.written.load() <= kExecutionSlots) shared_->executions.written.store(drafted);
}

bool SharedRegion::available() {
  if (read_ != written_) return true;
  const std::uint64_t written = shared_->executions.written.load();
  if (written - read_ > kExecutionSlots) {
    corrupted_ = true;
    return false;
  }
  written_ = written;
  return read_ != written_;
}

std::span<const Record> SharedRegion::peek() {
  if (read_ - acknowledged_ >= kAcknowledgeBatch) acknowledge();
  if (!available()) return {};
  const std::uint64_t to_edge = kExecutionSlots - (read_ & (kExecutionSlots - 1));
  return {&shared_->record(read_), static_cast<std::size_t>(std::min(written_ - read_, to_edge))};
}

void SharedRegion::acknowledge() {
  acknowledged_ = read_;
  shared_->executions.read.store(read_);
  wake(shared_->executions.writer_sleeping);
}

std::atomic<std::uint32_t>* SharedRegion::begin_wait() {
  flush();
  acknowledge();
  auto& sleeping = shared_->executions.reader_sleeping;
  sleeping.store(1);
  return available() || corrupted_ ? nullptr : &sleeping;
}

void SharedRegion::wait(std::chrono::milliseconds limit) {
  if (auto* sleeping = begin_wait())
    sleep_on(*sleeping, std::clamp(limit, std::chrono::milliseconds(0), kLongestSleep));
  end_wait();
}

std::string SharedRegion::take_held_output() {
  HeldOutput& held = shared_->held_output;
  std::string text(held.text, std::min(held.size, HeldOutput::kCapacity));
  held.size = 0;
  return text;
}

std::string SharedRegion::fallback() const {
  if (shared_->fallback.load(std::memory_order_acquire) != 1) return {};
  return text_in(shared_->fallback_reason);
}

}  // namespace heddle

// See shared_region.h.
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

constexpr std::chrono::milliseconds kLongestSleep{50};

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
    : descriptor_(std::move(descriptor)), shared_(shared), plans_(*shared), records_(*shared) {
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
  plans_.reset();
  records_.reset();
}

std::atomic<std::uint32_t>* SharedRegion::begin_wait() {
  plans_.flush();
  std::atomic<std::uint32_t>* const sleeping = records_.begin_wait();
  return plans_.corrupted() ? nullptr : sleeping;
}

void SharedRegion::wait(std::chrono::milliseconds limit) {
  if (auto* sleeping = begin_wait())
    sleep_on(*sleeping, std::clamp(limit, std::chrono::milliseconds(0), kLongestSleep));
  records_.end_wait();
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

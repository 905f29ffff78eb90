// See memory_limits.h.
#include "runtime/world/memory_limits.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>

#include "protocol/page.h"
#include "runtime/heap/program_heap.h"
#include "runtime/os/system_call.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/memory_map.h"
#include "runtime/state/process_ids.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPage = kPageBytes;
// No program that has a limit maps so much in one piece: it is a reservation of Heddle's or of a sanitizer's.
constexpr std::uint64_t kLargestCounted = std::uint64_t{4} << 30;

struct ExecutionMemoryLimits {
  bool any = false;
  bool of_space = false, of_data = false;  // the program has set it
  rlimit space{}, data{};
};
constinit ExecutionMemoryLimits execution_memory_limits{};

struct Use {
  std::uint64_t space = 0, data = 0;  // without the heap
};

// Address space that is only reserved counts for nobody: most of it is Heddle's.
bool is_only_reserved(const Mapping& mapping) {
  return !mapping.readable && !mapping.writable && !mapping.executable && *mapping.path == '\0';
}

bool is_of_heddle(const Mapping& mapping) {
  const OwnImage image = own_image();
  const auto shared = reinterpret_cast<std::uintptr_t>(runtime.shared);
  return in_heap(reinterpret_cast<const void*>(mapping.begin)) || is_task_stack(mapping.begin) ||
         os::is_reserved(mapping.begin) || (mapping.begin < image.end && image.begin < mapping.end) ||
         (mapping.begin <= shared && shared < mapping.end);
}

bool add(const Mapping& mapping, void* argument) {
  Use& use = *static_cast<Use*>(argument);
  const std::uint64_t bytes = mapping.end - mapping.begin;
  if (bytes >= kLargestCounted || is_only_reserved(mapping) || is_of_heddle(mapping)) return true;
  use.space += bytes;
  if (mapping.writable && !mapping.shared && !mapping.main_stack) use.data += bytes;
  return true;
}

std::uint64_t stack_bytes() {
  constexpr std::uint64_t kUsual = std::uint64_t{8} << 20;
  rlimit limit{};
  os::system_call(SYS_prlimit64, 0, RLIMIT_STACK, 0, reinterpret_cast<long>(&limit));
  return limit.rlim_cur < kUsual ? limit.rlim_cur : kUsual;
}

std::uint64_t threads() {
  std::uint64_t count = 0;
  for (std::uint32_t id = 1; id < runtime.world->population().task_count(); ++id) {
    const model::Task& task = runtime.world->task(static_cast<TaskId>(id));
    count += task.ended || task.timer ? 0 : 1;
  }
  return count;
}

Use present_use() {
  Use use;
  for_each_mapping(add, &use);
  const std::uint64_t stacks = threads() * stack_bytes();
  return {use.space + stacks, use.data + stacks};
}

std::uint64_t room(std::uint64_t limit, std::uint64_t used) { return limit > used ? limit - used : 0; }

// For the heap and all that is new; UINT64_MAX: no limit.
std::uint64_t present_room() {
  const Use use = present_use();
  std::uint64_t least = UINT64_MAX;
  if (execution_memory_limits.of_space) least = room(execution_memory_limits.space.rlim_cur, use.space);
  if (execution_memory_limits.of_data) least = std::min(least, room(execution_memory_limits.data.rlim_cur, use.data));
  return least;
}

void count() { limit_program_heap(present_room()); }

bool fits(std::uint64_t bytes) {
  const std::uint64_t most = present_room(), used = heap_use().in_use_bytes;
  return used <= most && bytes <= most - used;
}

rlimit present(int resource) {
  const bool of_space = resource == RLIMIT_AS;
  if (of_space ? execution_memory_limits.of_space : execution_memory_limits.of_data)
    return of_space ? execution_memory_limits.space : execution_memory_limits.data;
  rlimit limit{};
  os::system_call(SYS_prlimit64, 0, resource, 0, reinterpret_cast<long>(&limit));
  return limit;
}

long set(int resource, const rlimit& wanted) {
  if (wanted.rlim_cur > wanted.rlim_max) return -EINVAL;
  if (wanted.rlim_max > present(resource).rlim_max && os::system_call(SYS_geteuid) != 0) return -EPERM;
  (resource == RLIMIT_AS ? execution_memory_limits.of_space : execution_memory_limits.of_data) = true;
  (resource == RLIMIT_AS ? execution_memory_limits.space : execution_memory_limits.data) = wanted;
  execution_memory_limits.any = true;
  count();
  return 0;
}

long exchange(int resource, long wanted, long old) {
  if (wanted != 0 && !can_read(reinterpret_cast<const rlimit*>(wanted))) return -EFAULT;
  if (old != 0 && !can_write(reinterpret_cast<rlimit*>(old))) return -EFAULT;
  const rlimit before = present(resource);
  if (wanted != 0)
    if (const long error = set(resource, *reinterpret_cast<const rlimit*>(wanted)); error != 0) return error;
  if (old != 0) *reinterpret_cast<rlimit*>(old) = before;
  return 0;
}

std::uint64_t rounded(long bytes) { return (static_cast<std::uint64_t>(bytes) + kPage - 1) & ~(kPage - 1); }

// How much more the program would have; where something is replaced, nothing.
std::uint64_t growth(const SystemCall& call) {
  const long* const a = call.arguments;
  if (call.number == SYS_mmap) {
    const bool counts = execution_memory_limits.of_space || ((a[2] & PROT_WRITE) != 0 && (a[3] & MAP_PRIVATE) != 0);
    return counts && (a[3] & MAP_FIXED) == 0 ? rounded(a[1]) : 0;
  }
  if (call.number == SYS_mremap) return rounded(a[2]) > rounded(a[1]) ? rounded(a[2]) - rounded(a[1]) : 0;
  const long now = os::system_call(SYS_brk, 0);
  return a[0] > now ? rounded(a[0] - now) : 0;
}

bool maps(long number) {
  return number == SYS_mmap || number == SYS_mremap || number == SYS_brk || number == SYS_munmap;
}

}  // namespace

bool answer_limit_call(const SystemCall& call, long& result) {
  const long* const a = call.arguments;
  const bool names_process = call.number == SYS_prlimit64;
  if (!names_process && call.number != SYS_getrlimit && call.number != SYS_setrlimit) return false;
  if (names_process && a[0] != 0 && !is_own_process(static_cast<int>(a[0]))) return false;
  const long resource = names_process ? a[1] : a[0];
  if (resource != RLIMIT_AS && resource != RLIMIT_DATA) return false;
  if (!names_process && a[1] == 0) return result = -EFAULT, true;
  const long wanted = names_process ? a[2] : call.number == SYS_setrlimit ? a[1] : 0;
  const long old = names_process ? a[3] : call.number == SYS_getrlimit ? a[1] : 0;
  result = exchange(static_cast<int>(resource), wanted, old);
  return true;
}

bool exceeds_limit(const SystemCall& call, long& result) {
  if (!execution_memory_limits.any || !maps(call.number) || call.number == SYS_munmap) return false;
  if (const std::uint64_t more = growth(call); more == 0 || fits(more)) return false;
  result = call.number == SYS_brk ? os::system_call(SYS_brk, 0) : -ENOMEM;
  return true;
}

void count_after(const SystemCall& call) {
  if (execution_memory_limits.any && maps(call.number)) count();
}

bool stack_fits() {
  if (!execution_memory_limits.any) return true;
  if (!fits(stack_bytes())) return false;
  count();
  return true;
}

}  // namespace heddle::runtime

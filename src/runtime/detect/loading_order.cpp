// See loading_order.h.
#include "runtime/detect/loading_order.h"

#include "model/plain_loop.h"
#include "runtime/detect/race_orders.h"
#include "runtime/os/rare.h"
#include "runtime/state/race_watch.h"
#include "runtime/state/runtime.h"
#include "runtime/state/up_calls.h"

namespace heddle::runtime {

constinit ExecutionLoading execution_loading{};

namespace {

// A task that loads; those beyond so many at a time are not kept.
struct Loading {
  TaskId task;
  void* const* place;  // on its stack; null: free for another one
  void* return_address;
};
constexpr std::uint32_t kMax = 64;
struct Loaders {
  Loading all[kMax] = {};
  std::uint32_t accesses = 0;  // of a task that loads, since its last step
};

struct ExecutionLoaders {
  Rare<Loaders> loaders;
};
constinit ExecutionLoaders execution_loaders{};

Loading* find(TaskId task) {
  if (execution_loading.tasks == 0) return nullptr;
  for (Loading& one : execution_loaders.loaders->all)
    if (one.place != nullptr && one.task == task) return &one;
  return nullptr;
}

Loading* find_free() {
  for (Loading& one : execution_loaders.loaders->all)
    if (one.place == nullptr) return &one;
  return nullptr;
}

// What others have loaded is there. Of who may be behind its dlopen() already, nothing else has been seen since.
void learn_of_others() {
  if (is_watched()) order_acquire(&execution_loaders.loaders);
  if (execution_loading.tasks == 0) return;
  for (const Loading& other : execution_loaders.loaders->all)
    if (other.place != nullptr && other.task != runtime.current) race_pass_on(other.task, runtime.current);
}

void end_loading(Loading& own) {
  own.place = nullptr;
  --execution_loading.tasks;
  learn_of_others();
  if (is_watched()) order_release(&execution_loaders.loaders);
}

// A handler of a signal may run on another stack: further above than functions have variables.
bool is_over(const Loading& own) {
  constexpr std::uintptr_t kMaxVariables = std::uintptr_t{1} << 20;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto place = reinterpret_cast<std::uintptr_t>(own.place);
  return (here > place && here - place < kMaxVariables) || *own.place != own.return_address;
}

}  // namespace

bool is_loading(TaskId task) { return find(task) != nullptr; }

void begin_loading(void* const* place, Site site) {
  point_at_library_call(&execution_loaders.loaders, site);
  // Where a constructor loads another library, that call's place lies deeper.
  if (Loading* own = find(runtime.current); own != nullptr && (own->place <= place || is_over(*own))) end_loading(*own);
  learn_of_others();
  Loading* const free = find_free();
  if (is_loading(runtime.current) || free == nullptr) return;
  *free = {runtime.current, place, *place};
  ++execution_loading.tasks;
  race_watch.accesses_left = accesses_until_check(runtime.current);
}

void end_loading_if_over() {
  if (Loading* const own = find(runtime.current); own != nullptr && is_over(*own)) end_loading(*own);
}

std::uint32_t accesses_until_check(TaskId task) {
  if (!is_loading(task)) return model::PlainLoop::kLong;
  execution_loaders.loaders->accesses = 0;
  return 1;
}

bool is_checked_for_loading() {
  if (!is_loading(runtime.current)) return false;
  end_loading_if_over();
  if (is_loading(runtime.current)) return ++execution_loaders.loaders->accesses < model::PlainLoop::kLong;
  race_watch.accesses_left = model::PlainLoop::kLong;
  return true;
}

}  // namespace heddle::runtime

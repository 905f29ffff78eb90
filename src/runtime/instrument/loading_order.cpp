// See loading_order.h.
#include "runtime/instrument/loading_order.h"

#include "runtime/instrument/points.h"
#include "runtime/instrument/races.h"
#include "runtime/rare.h"
#include "runtime/runtime.h"

namespace heddle::runtime {

std::uint32_t tasks_loading = 0;

namespace {

// A task that loads; those beyond so many are not kept.
struct Loading {
  TaskId task;
  void* const* place;  // on its stack; null: over
  void* return_address;
};
constexpr std::uint32_t kMost = 64;
struct Loaders {
  Loading all[kMost];
  std::uint32_t count = 0;
};
Rare<Loaders> loaders;

Loading* find(TaskId task) {
  if (!loaders.used()) return nullptr;
  for (std::uint32_t i = 0; i < loaders->count; ++i)
    if (loaders->all[i].task == task) return &loaders->all[i];
  return nullptr;
}

// What others have loaded is there. Of who may be behind its dlopen() already, nothing else has been seen since.
void learn_of_others() {
  races_acquire(&loaders);
  for (std::uint32_t i = 0; tasks_loading != 0 && i < loaders->count; ++i)
    if (const Loading& other = loaders->all[i]; other.place != nullptr && other.task != runtime.current)
      race_pass_on(other.task, runtime.current);
}

void end_loading(Loading& own) {
  own.place = nullptr;
  --tasks_loading;
  learn_of_others();
  races_release(&loaders);
}

}  // namespace

bool is_loading(TaskId task) {
  const Loading* const own = tasks_loading != 0 ? find(task) : nullptr;
  return own != nullptr && own->place != nullptr;
}

void begin_loading(void* const* return_address) {
  point_at_library_call(&loaders, reinterpret_cast<Site>(*return_address));
  // Where a constructor loads another library, that call's place lies deeper.
  Loading* own = find(runtime.current);
  if (is_loading(runtime.current) && own->place <= return_address) end_loading(*own);
  learn_of_others();
  if (!end_loading_if_over()) return;
  if (own == nullptr && loaders->count < kMost) own = &loaders->all[loaders->count++];
  if (own == nullptr) return;
  *own = {runtime.current, return_address, *return_address};
  ++tasks_loading;
  races_look_at_next_access();
}

bool end_loading_if_over() {
  if (!is_loading(runtime.current)) return true;
  Loading& own = *find(runtime.current);
  if (*own.place == own.return_address) return false;
  end_loading(own);
  return true;
}

}  // namespace heddle::runtime

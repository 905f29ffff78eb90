// Named semaphores: names and semaphores of this process only, in the runtime's memory, so that each execution begins
// without any. glibc's would be files in /dev/shm, which outlive an execution.
//
// At the first fork their memory becomes shared memory at the same addresses; from then on they follow
// shared_objects.h. A semaphore that exists outside the program is not modelled: a note names it.
#include "runtime/intercept/named_semaphore.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protocol/page.h"
#include "runtime/intercept/intercept.h"
#include "runtime/intercept/shared_objects.h"
#include "runtime/os/system_call.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr std::size_t kLongestName = 251;  // with glibc's "sem." before it: NAME_MAX

struct NamedSemaphore {
  sem_t semaphore;
  char name[kLongestName + 1];
  bool has_name;  // sem_unlink() takes it away
};

constexpr std::size_t kPage = kPageBytes, kTableBytes = 8 * kPage;
constexpr unsigned kEntries = 110;

// On pages of their own, which processes may share.
struct Table {
  std::uint32_t guard;
  std::uint32_t used;  // entries that have been given out
  NamedSemaphore entries[kEntries];
};
static_assert(sizeof(Table) <= kTableBytes);

// What this process knows of a table: how often it has opened each, less sem_close().
struct Own {
  Table* table;
  std::uint32_t opened[kEntries];
  Own* next;
};

struct ExecutionNamedSemaphores {
  Own* first = nullptr;
  ObjectId names = kNoObject;  // what opening, closing and removing have in common
  std::uint32_t guard = 0;     // of names, while there is no table
};
constinit ExecutionNamedSemaphores execution_named_semaphores{};

struct Entry {
  NamedSemaphore* semaphore = nullptr;
  std::uint32_t* opened = nullptr;
};

// The first entry of which `is_wanted(semaphore, how often it is opened)` holds.
template <typename IsWanted>
Entry find_entry(IsWanted is_wanted) {
  for (Own* own = execution_named_semaphores.first; own != nullptr; own = own->next)
    for (unsigned i = 0; i < own->table->used; ++i)
      if (is_wanted(own->table->entries[i], own->opened[i])) return {&own->table->entries[i], &own->opened[i]};
  return {};
}

Own* add_table(void* memory) {
  auto* own = static_cast<Own*>(os::allocate(sizeof(Own)));
  own->table = static_cast<Table*>(memory);
  own->next = execution_named_semaphores.first;
  execution_named_semaphores.first = own;
  return own;
}

void* private_memory() {
  const auto address = reinterpret_cast<std::uintptr_t>(os::allocate(kTableBytes + kPage));
  return reinterpret_cast<void*>((address + kPage - 1) & ~(kPage - 1));
}

void* shared_memory() {
  const long made =
      os::system_call(SYS_mmap, 0, kTableBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (made < 0) not_modelled("sem_open in a program that forks, for want of memory");
  return reinterpret_cast<void*>(made);
}

// In the same place, with the same content.
void make_shared(Table* table) {
  void* const shared = shared_memory();
  memcpy(shared, table, kTableBytes);
  os::system_call(SYS_mremap, reinterpret_cast<long>(shared), kTableBytes, kTableBytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                  reinterpret_cast<long>(table));
}

// Room for one more. Behind a fork those that are closed here may be open elsewhere, and a table that was made then is
// nobody else's.
Entry new_entry(Site site) {
  const auto is_free = [](const NamedSemaphore& one, std::uint32_t opened) { return !one.has_name && opened == 0; };
  if (const Entry found = execution_forks.program_has_forked ? Entry() : find_entry(is_free);
      found.semaphore != nullptr)
    return found;
  Own* own = execution_named_semaphores.first;
  while (own != nullptr && own->table->used == kEntries) own = own->next;
  if (own == nullptr && execution_forks.program_has_forked) not_modelled("sem_open in a program that has forked", site);
  if (own == nullptr) own = add_table(private_memory());
  const unsigned index = own->table->used++;
  return {&own->table->entries[index], &own->opened[index]};
}

// While one looks for a name or makes one, no other process does.
std::uint32_t& guard_of_names() {
  Own* last = execution_named_semaphores.first;
  while (last != nullptr && last->next != nullptr) last = last->next;
  return last != nullptr ? last->table->guard : execution_named_semaphores.guard;
}

// The part of a name that counts. Null, with errno: there is none (glibc's word for it is `wrong`), or the kernel does
// not take it.
const char* plain_name(const char* name, int wrong) {
  while (*name == '/') ++name;
  const std::size_t length = strlen(name);
  if (length == 0 || length > NAME_MAX || strchr(name, '/') != nullptr)
    errno = wrong;
  else if (length > kLongestName)
    errno = ENAMETOOLONG;
  else
    return name;
  return nullptr;
}

Entry find(const char* name) {
  return find_entry(
      [name](const NamedSemaphore& one, std::uint32_t) { return one.has_name && strcmp(one.name, name) == 0; });
}

bool exists_outside(const char* name) {
  char path[64 + kLongestName];
  snprintf(path, sizeof path, "/dev/shm/sem.%s", name);
  return os::system_call(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path), F_OK) == 0;
}

Entry make(const char* name, unsigned value, Site site) {
  const Entry made = new_entry(site);
  sem_t* const semaphore = &made.semaphore->semaphore;
  strcpy(made.semaphore->name, name);
  made.semaphore->has_name = true;
  *made.opened = 0;
  real::sem_init(semaphore, 1, value);
  if (!is_shared(semaphore))
    runtime.world->object(new_object(ObjectKind::Semaphore, semaphore, site)).semaphore.value = value;
  return made;
}

// A step: who opens or removes a name first may matter.
void come_to_names(Site site) {
  if (execution_named_semaphores.names == kNoObject)
    execution_named_semaphores.names =
        runtime.world->population().add_object(ObjectKind::Semaphore, runtime.current, 0, site);
  perform(OperationKind::SemaphoreName, execution_named_semaphores.names, site);
}

sem_t* fail(int error) {
  errno = error;
  return SEM_FAILED;
}

sem_t* open_named(const char* given_name, int flags, unsigned value, Site site) {
  const char* name = plain_name(given_name, EINVAL);
  if (name == nullptr) return SEM_FAILED;
  come_to_names(site);
  const bool creates = (flags & O_CREAT) != 0, must_be_new = creates && (flags & O_EXCL) != 0;
  const SharedGuard guard(guard_of_names());
  Entry entry = find(name);
  const bool is_there = entry.semaphore != nullptr;
  if (!is_there && exists_outside(name)) not_modelled("sem_open for a semaphore that exists outside", site);
  if ((!is_there || must_be_new) && creates && value > SEM_VALUE_MAX) return fail(EINVAL);
  if (is_there && must_be_new) return fail(EEXIST);
  if (!is_there) {
    if (!creates) return fail(ENOENT);
    entry = make(name, value, site);
  }
  ++*entry.opened;
  return &entry.semaphore->semaphore;
}

int close_named(const sem_t* address, Site site) {
  come_to_names(site);
  const Entry found = find_entry(
      [address](const NamedSemaphore& one, std::uint32_t opened) { return &one.semaphore == address && opened != 0; });
  if (found.semaphore == nullptr) return through_errno(EINVAL);
  --*found.opened;
  return 0;
}

int unlink_named(const char* given_name, Site site) {
  const char* name = plain_name(given_name, ENOENT);
  if (name == nullptr) return -1;
  come_to_names(site);
  const SharedGuard guard(guard_of_names());
  const Entry found = find(name);
  if (found.semaphore == nullptr) return real::sem_unlink(given_name);
  found.semaphore->has_name = false;
  return 0;
}

}  // namespace

void before_fork_with_semaphores() {
  if (execution_forks.program_has_forked) return;
  for (Own* own = execution_named_semaphores.first; own != nullptr; own = own->next) make_shared(own->table);
  // Before the first thread it would keep every program that forks from snapshots, which don't undo shared memory.
  if (execution_named_semaphores.first == nullptr && runtime.mode == Mode::Branching) add_table(shared_memory());
}

}  // namespace heddle::runtime

HEDDLE_EXPORT sem_t* sem_open(const char* name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  const unsigned value = (flags & O_CREAT) != 0 ? va_arg(list, unsigned) : 0;
  va_end(list);
  if (!controlled()) return real::sem_open(name, flags, mode, value);
  return open_named(name, flags, value, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_close(sem_t* semaphore) {
  if (!controlled()) return real::sem_close(semaphore);
  return close_named(semaphore, HEDDLE_CALLER);
}

HEDDLE_EXPORT int sem_unlink(const char* name) {
  if (!controlled()) return real::sem_unlink(name);
  return unlink_named(name, HEDDLE_CALLER);
}

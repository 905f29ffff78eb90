// Named semaphores: names and semaphores of this process only, in memory of the runtime's, so that each execution
// begins without any. glibc's would be files in /dev/shm, which outlive an execution.
//
// A semaphore that exists outside, or is shared with a forked child, is real and not modelled: named.
#include "runtime/intercept/named_semaphore.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

constexpr std::size_t kLongestName = 251;  // with glibc's "sem." before it: NAME_MAX

struct NamedSemaphore {
  sem_t semaphore;
  char name[kLongestName + 1];
  bool has_name;         // sem_unlink() takes it away
  std::uint32_t opened;  // how often, less sem_close()
  NamedSemaphore* next;
};

NamedSemaphore* first = nullptr;
ObjectId names = kNoObject;  // what opening, closing and removing have in common
bool has_forked = false;

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

NamedSemaphore* find(const char* name) {
  for (NamedSemaphore* semaphore = first; semaphore != nullptr; semaphore = semaphore->next)
    if (semaphore->has_name && strcmp(semaphore->name, name) == 0) return semaphore;
  return nullptr;
}

bool exists_outside(const char* name) {
  char path[64 + kLongestName];
  snprintf(path, sizeof path, "/dev/shm/sem.%s", name);
  return os::system_call(SYS_faccessat, AT_FDCWD, reinterpret_cast<long>(path), F_OK) == 0;
}

NamedSemaphore* make(const char* name, unsigned value, Site site) {
  NamedSemaphore* made = first;
  while (made != nullptr && (made->has_name || made->opened != 0)) made = made->next;
  if (made == nullptr) {
    made = static_cast<NamedSemaphore*>(os::allocate(sizeof(NamedSemaphore)));
    made->next = first;
    first = made;
  }
  strcpy(made->name, name);
  made->has_name = true;
  made->opened = 0;
  real::sem_init(&made->semaphore, 0, value);
  runtime.world->object(new_object(ObjectKind::Semaphore, &made->semaphore, site)).semaphore.value = value;
  return made;
}

// A step: who opens or removes a name first may matter.
void come_to_names(Site site) {
  if (names == kNoObject) names = runtime.world->add_object(ObjectKind::Semaphore, runtime.current, 0, site);
  perform(OperationKind::SemaphoreName, names, site);
}

sem_t* fail(int error) {
  errno = error;
  return SEM_FAILED;
}

sem_t* open_named(const char* given_name, int flags, unsigned value, Site site) {
  if (has_forked) not_modelled("sem_open in a program that has forked", site);
  const char* name = plain_name(given_name, EINVAL);
  if (name == nullptr) return SEM_FAILED;
  come_to_names(site);
  const bool creates = (flags & O_CREAT) != 0, must_be_new = creates && (flags & O_EXCL) != 0;
  NamedSemaphore* semaphore = find(name);
  if (semaphore == nullptr && exists_outside(name)) not_modelled("sem_open for a semaphore that exists outside", site);
  if ((semaphore == nullptr || must_be_new) && creates && value > SEM_VALUE_MAX) return fail(EINVAL);
  if (semaphore != nullptr && must_be_new) return fail(EEXIST);
  if (semaphore == nullptr) {
    if (!creates) return fail(ENOENT);
    semaphore = make(name, value, site);
  }
  ++semaphore->opened;
  return &semaphore->semaphore;
}

int close_named(const sem_t* address, Site site) {
  come_to_names(site);
  for (NamedSemaphore* semaphore = first; semaphore != nullptr; semaphore = semaphore->next) {
    if (&semaphore->semaphore != address || semaphore->opened == 0) continue;
    --semaphore->opened;
    return 0;
  }
  return through_errno(EINVAL);
}

int unlink_named(const char* given_name, Site site) {
  const char* name = plain_name(given_name, ENOENT);
  if (name == nullptr) return -1;
  come_to_names(site);
  NamedSemaphore* semaphore = find(name);
  if (semaphore == nullptr) return real::sem_unlink(given_name);
  semaphore->has_name = false;
  return 0;
}

}  // namespace

void before_fork_with_semaphores() {
  for (const NamedSemaphore* semaphore = first; semaphore != nullptr; semaphore = semaphore->next)
    if (semaphore->opened != 0) not_modelled("sem_open in a program that forks");
  has_forked = true;
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

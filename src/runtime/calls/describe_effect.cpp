// Effects and system calls in words: see effects.h.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

#include "protocol/system_calls.h"
#include "runtime/calls/effects.h"
#include "runtime/os/system_call.h"
#include "runtime/ring/output.h"
#include "runtime/snapshot/user_memory.h"
#include "runtime/state/runtime.h"
#include "runtime/world/descriptors.h"
#include "runtime/world/undo_descriptors.h"

namespace heddle::runtime {

// The link that /proc shows for a descriptor; null: it is not open.
const char* link_of(int descriptor, char* text, std::size_t capacity) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>(path),
                                      reinterpret_cast<long>(text), static_cast<long>(capacity) - 1);
  text[length > 0 ? length : 0] = '\0';
  return length > 0 ? text : nullptr;
}

namespace {

bool starts_with(const char* text, const char* beginning) { return strncmp(text, beginning, strlen(beginning)) == 0; }

// What a descriptor leads to: "a pipe", "a socket", or a path.
void name_of(int descriptor, char* text, std::size_t capacity) {
  struct Kind {
    const char* link;
    const char* name;
  };
  constexpr Kind kKinds[] = {{"pipe:", "a pipe"},
                             {"socket:", "a socket"},
                             {"anon_inode:[eventfd]", "an eventfd"},
                             {"anon_inode:[eventpoll]", "an epoll set"},
                             {"anon_inode:[timerfd]", "a timer"},
                             {"anon_inode:[signalfd]", "a signalfd"}};
  if (is_captured_output(descriptor)) {
    snprintf(text, capacity, "%s", "the output that Heddle captures");
    return;
  }
  if (link_of(descriptor, text, capacity) == nullptr) snprintf(text, capacity, "not open");
  for (const Kind& kind : kKinds)
    if (starts_with(text, kind.link)) snprintf(text, capacity, "%s", kind.name);
}

std::size_t bounded(int size, std::size_t capacity) {
  return size < 0 ? 0 : static_cast<std::size_t>(size) < capacity ? static_cast<std::size_t>(size) : capacity - 1;
}

}  // namespace

std::size_t describe_effect(const SystemCallEffect& effect, char* text, std::size_t capacity) {
  if (effect.descriptor < 0) return bounded(snprintf(text, capacity, "%s", effect.what), capacity);
  char leads_to[200];
  name_of(effect.descriptor, leads_to, sizeof leads_to);
  const char* since = is_opened_here(effect.descriptor) || !was_open_before(effect.descriptor) ? ""
                      : config.start_at_offset != 0 ? ", which was open before the first call of "
                                                    : ", which was open before the first thread was created";
  return bounded(snprintf(text, capacity, "%s descriptor %d (%s)%s%s", effect.what, effect.descriptor, leads_to, since,
                          *since != '\0' && config.start_at_offset != 0 ? config.start_at : ""),
                 capacity);
}

namespace {

// Null: it has none.
const char* path_given_to(const SystemCall& call) {
  switch (call.number) {
    case SYS_open:
    case SYS_creat:
    case SYS_unlink:
    case SYS_rename:
    case SYS_mkdir:
    case SYS_rmdir:
    case SYS_truncate:
    case SYS_chmod:
    case SYS_mknod:
      return reinterpret_cast<const char*>(call.arguments[0]);
    case SYS_openat:
    case SYS_openat2:
    case SYS_unlinkat:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_mkdirat:
    case SYS_fchmodat:
    case SYS_utimensat:
    case SYS_mknodat:
      return reinterpret_cast<const char*>(call.arguments[1]);
    default:
      return nullptr;
  }
}

// The program's pointer may lead nowhere.
std::size_t copy_text(const char* from, char* to, std::size_t capacity) {
  std::size_t size = 0;
  while (size + 1 < capacity && can_read(from + size, 1) && from[size] != '\0') {
    to[size] = from[size];
    ++size;
  }
  to[size] = '\0';
  return size;
}

}  // namespace

void describe_call(const SystemCall& call, char* text, std::size_t capacity) {
  const char* const name = system_call_name(call.number);
  const std::size_t used = bounded(name != nullptr ? snprintf(text, capacity, "%s ", name)
                                                   : snprintf(text, capacity, "system call %ld ", call.number),
                                   capacity);
  const char* const path = path_given_to(call);
  const std::size_t length = path != nullptr ? copy_text(path, text + used, capacity - used) : 0;
  if (length == 0) text[used - 1] = '\0';
}

}  // namespace heddle::runtime

// See environment.h.
#include "runtime/state/environment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"
#include "runtime/state/stacks.h"

namespace heddle::runtime {
namespace {

constexpr const char* kPreload = "LD_PRELOAD";

// The value of `name` in `environment`, or null.
char* value_of(char** environment, const char* name) {
  const std::size_t length = strlen(name);
  for (; environment != nullptr && *environment != nullptr; ++environment)
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
  return nullptr;
}

void remove_variable(char** environment, const char* name) {
  const std::size_t length = strlen(name);
  if (environment == nullptr) return;  // clearenv()
  char** to = environment;
  for (char** from = environment; *from != nullptr; ++from)
    if (strncmp(*from, name, length) != 0 || (*from)[length] != '=') *to++ = *from;
  *to = nullptr;
}

// Where it has the value that the driver gave it; one that the user gave stays.
void remove_ours(const char* name, const char* ours) {
  if (const char* value = value_of(environ, name); value != nullptr && strcmp(value, ours) == 0)
    remove_variable(environ, name);
}

const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// Does `path` lead to this program, over links if need be?
bool leads_here(const char* path) {
  struct stat there {};
  struct stat here {};
  return os::system_call(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>(path), reinterpret_cast<long>(&there), 0) ==
             0 &&
         os::system_call(SYS_newfstatat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                         reinterpret_cast<long>(&here), 0) == 0 &&
         there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

// As a shell looks a program up.
bool lookup_leads_here(const char* name, char** environment) {
  char path[4096];
  if (strchr(name, '/') != nullptr) return leads_here(name);
  for (const char* folder = value_of(environment, "PATH"); folder != nullptr && *folder != '\0';) {
    const char* const end = strchrnul(folder, ':');
    const int size = snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(end - folder), folder, name);
    if (size > 0 && static_cast<std::size_t>(size) < sizeof path && leads_here(path)) return true;
    folder = *end != '\0' ? end + 1 : end;
  }
  return false;
}

// Is this the program that --target names? libc knows neither words nor environment yet. By the name of its file, the
// name it was called by, or a link to it.
bool is_target(const char* target, const char* called, char** environment) {
  char path[4096];
  const long length = os::system_call(SYS_readlinkat, AT_FDCWD, reinterpret_cast<long>("/proc/self/exe"),
                                      reinterpret_cast<long>(path), sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  const char* const wanted = file_name(target);
  return strcmp(file_name(path), wanted) == 0 || (called != nullptr && strcmp(file_name(called), wanted) == 0) ||
         lookup_leads_here(target, environment);
}

// Another file may have its number.
bool is_control(int descriptor) {
  std::uint64_t magic = 0;
  return pread(descriptor, &magic, sizeof magic, offsetof(Shared, magic)) == sizeof magic && magic == kProtocolMagic;
}

// Who has started the program may have closed it, as subprocess.run() of Python does with all that it does not know.
int find_control(const char* value) {
  const int descriptor = atoi(value);
  const char* path = strchr(value, ':');
  if (is_control(descriptor) || path == nullptr) return descriptor;
  const int opened = open(path + 1, O_RDWR);
  if (opened < 0) return descriptor;
  const int moved = fcntl(opened, F_DUPFD, descriptor);  // out of the program's way
  close(opened);
  return moved;
}

Shared* map_shared(int descriptor) {
  const long address = os::system_call(SYS_mmap, 0, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return address < 0 && address > -4096 ? nullptr : reinterpret_cast<Shared*>(address);
}

}  // namespace

bool attach_to_driver(char** arguments, char** environment) {
  const char* value = value_of(environment, kControlVariable);
  if (value == nullptr) return false;
  const int descriptor = find_control(value);
  Shared* shared = is_control(descriptor) ? map_shared(descriptor) : nullptr;
  if (shared == nullptr) return false;
  shared->status.runtime_version.store(kProtocolVersion);
  shared->status.preloaded_processes.fetch_add(1);
  if (shared->version != kProtocolVersion) {
    shared->status.problem.store(LaunchProblem::VersionMismatch);
    return false;
  }
  if (shared->status.controller.load() != 0) return false;  // started by the controlled program
  if (shared->config.target[0] != '\0' && !is_target(shared->config.target, arguments[0], environment)) return false;
  if (shared->config.started_by != 0 && os::system_call(SYS_getppid) != shared->config.started_by) return false;
  runtime.shared = shared;
  static_cast<Config&>(config) = shared->config;
  runtime.control_fd = descriptor;
  return true;
}

void clean_environment() {
  remove_variable(environ, kControlVariable);
  if (char* preload = value_of(environ, kPreload); preload != nullptr) {
    // Ours is the first entry; what the user had preloaded stays.
    char* rest = strpbrk(preload, ": ");
    if (rest != nullptr)
      memmove(preload, rest + 1, strlen(rest + 1) + 1);
    else
      remove_variable(environ, kPreload);
  }
  remove_ours("LD_BIND_NOW", kBindNowValue);
  remove_ours(kSpinVariable, kSpinValue);
  os::system_call(SYS_close, runtime.control_fd);
}

namespace {

struct ProcessThreadIds {
  std::size_t offset = 0;  // in glibc's thread descriptor; 0: not found yet
};
constinit ProcessThreadIds process_thread_ids{};

}  // namespace

int* thread_id_word() {
  // glibc keeps it in its thread descriptor, which begins at the thread pointer; the offset is found once by its value.
  std::size_t& offset = process_thread_ids.offset;
  constexpr std::size_t kSearched = 1024;
  auto* descriptor = reinterpret_cast<char*>(runtime.tasks[kernel_thread()].thread_pointer);
  const int own = static_cast<int>(os::system_call(SYS_gettid));
  for (std::size_t at = 64; offset == 0 && at < kSearched; at += sizeof(int))
    if (int candidate = 0; memcpy(&candidate, descriptor + at, sizeof candidate), candidate == own) offset = at;
  return offset != 0 ? reinterpret_cast<int*>(descriptor + offset) : nullptr;
}

const int* thread_id_of(TaskId task) {
  if (process_thread_ids.offset == 0) thread_id_word();
  if (process_thread_ids.offset == 0) return nullptr;
  return reinterpret_cast<const int*>(runtime.tasks[task].thread_pointer + process_thread_ids.offset);
}

}  // namespace heddle::runtime

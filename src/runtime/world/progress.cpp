// See progress.h. It uses raw system calls only, and no descriptor or stream of the program's.
#include "runtime/world/progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <iterator>

#include "runtime/os/system_call.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr int kDeepest = 8;

// The beginning of a file, as a string. False: it can't be read.
template <unsigned kCapacity>
bool read_text(const char* path, char (&text)[kCapacity]) {
  const long file = os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const long size = os::system_call(SYS_read, file, reinterpret_cast<long>(text), kCapacity - 1);
  os::system_call(SYS_close, file);
  text[size > 0 ? size : 0] = '\0';
  return size > 0;
}

// 0 at the end.
long next_number(const char*& text) {
  while (*text == ' ') ++text;
  long number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) number = number * 10 + (*text - '0');
  return number;
}

// The fields of stat(5) stand behind the name, which may hold anything.
void add_own(int process, Progress& progress) {
  char path[48], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  if (!read_text(path, text)) return;
  const char* fields = strrchr(text, ')');
  if (fields == nullptr) return;
  const char state = fields[1] != '\0' ? fields[2] : '\0';
  const bool alive = state != 'Z' && state != 'X', resting = rests(process);
  progress.alive = progress.alive || alive;
  progress.awake = progress.awake || (alive && !resting);
  progress.busy = progress.busy || (!resting && (state == 'R' || state == 'D'));
  constexpr int kBehindState = 11;  // utime and stime are the 12th and 13th field behind the name
  fields += 2;
  for (int field = 0; field < kBehindState && fields != nullptr; ++field) fields = strchr(fields + 1, ' ');
  if (fields == nullptr) return;
  progress.ticks += next_number(fields) + next_number(fields);
  if (resting) return;
  snprintf(path, sizeof path, "/proc/%d/schedstat", process);
  if (!read_text(path, text)) return;
  const char* numbers = text;  // time run, time waited, turns
  next_number(numbers);
  next_number(numbers);
  progress.turns += next_number(numbers);
}

void add_children(int process, int thread, int depth, Progress& progress) {
  char path[64], children[256];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
  if (depth == kDeepest || !read_text(path, children)) return;
  const char* rest = children;
  for (long child = next_number(rest); child > 0; child = next_number(rest)) {
    add_own(static_cast<int>(child), progress);
    add_children(static_cast<int>(child), static_cast<int>(child), depth + 1, progress);
  }
}

}  // namespace

bool rests(int process) {
  if (runtime.shared == nullptr) return false;
  const Relatives& relatives = runtime.shared->relatives;
  const std::uint32_t question = relatives.question.load();
  return std::any_of(std::begin(relatives.all), std::end(relatives.all), [&](const Relatives::Relative& one) {
    return one.process.load() == process && one.rests.load() != 0 && one.answered.load() == question;
  });
}

Progress progress_of_one(int process) {
  Progress progress;
  add_own(process, progress);
  return progress;
}

Progress progress_of(int process) {
  Progress progress;
  add_own(process, progress);
  add_children(process, process, 0, progress);
  return progress;
}

Progress progress_of_children() {
  Progress progress;
  const int process = os::process_id(), thread = static_cast<int>(os::system_call(SYS_gettid));
  add_children(process, process, 0, progress);
  if (thread != process) add_children(process, thread, 0, progress);
  return progress;
}

}  // namespace heddle::runtime

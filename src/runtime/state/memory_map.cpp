// See memory_map.h.
#include "runtime/state/memory_map.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "protocol/page.h"
#include "runtime/os/system_call.h"
#include "runtime/state/loaded_files.h"

namespace heddle::runtime {
namespace {

// /proc/self/maps, line by line, through a small buffer.
class Lines {
 public:
  Lines() : descriptor_(os::system_call(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/maps"), O_RDONLY)) {}
  ~Lines() {
    if (descriptor_ >= 0) os::system_call(SYS_close, descriptor_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  bool open() const { return descriptor_ >= 0; }

  // The next line without its end, cut off at the buffer's size; null: there is none.
  const char* next() {
    unsigned length = 0;
    for (;;) {
      if (at_ == filled_ && !fill()) return nullptr;
      const char c = buffer_[at_++];
      if (c == '\n') break;
      if (length < sizeof line_ - 1) line_[length++] = c;
    }
    line_[length] = '\0';
    return line_;
  }

 private:
  bool fill() {
    // The kernel can't write where the visitor has just protected this stack.
    volatile char* const buffer = buffer_;
    buffer[0] = 0;
    buffer[sizeof buffer_ - 1] = 0;
    const long count = os::system_call(SYS_read, descriptor_, reinterpret_cast<long>(buffer_), sizeof buffer_);
    at_ = 0;
    filled_ = count > 0 ? static_cast<unsigned>(count) : 0;
    return filled_ != 0;
  }

  long descriptor_;
  unsigned at_ = 0, filled_ = 0;
  char buffer_[2048] = {};
  char line_[256] = {};
};

// "begin-end rwxp offset device inode path"
bool parse(const char* line, Mapping& mapping) {
  mapping.begin = hexadecimal(line);
  if (*line++ != '-') return false;
  mapping.end = hexadecimal(line);
  if (strlen(line) < 5) return false;
  mapping.readable = line[1] == 'r';
  mapping.writable = line[2] == 'w';
  mapping.executable = line[3] == 'x';
  mapping.shared = line[4] == 's';
  mapping.main_stack = strstr(line, "[stack]") != nullptr;
  if (const char* path = strchr(line, '/'); path != nullptr) mapping.path = path;
  return mapping.end > mapping.begin;
}

int find_own_image(dl_phdr_info* info, std::size_t, void* result) {
  auto& image = *static_cast<OwnImage*>(result);
  const auto here = reinterpret_cast<std::uintptr_t>(&own_image);
  OwnImage found;
  found.begin = UINTPTR_MAX;
  std::uintptr_t relocated_end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_GNU_RELRO) relocated_end = end;
    if (segment.p_type != PT_LOAD) continue;
    if (begin < found.begin) found.begin = begin;
    if (end > found.end) found.end = end;
    if ((segment.p_flags & PF_X) != 0) found.code_begin = begin, found.code_end = end;
    if ((segment.p_flags & PF_W) != 0) found.data_begin = begin, found.data_end = end;
  }
  if (here < found.begin || here >= found.end) return 0;
  if (relocated_end > found.data_begin) found.data_begin = relocated_end;
  image = found;
  return 1;
}

// The kernel shows neighbours of the same kind as one: our variables that begin as zero, and what the loader has
// allocated right behind them. The latter is the program's.
bool visit_parts(Mapping mapping, std::uintptr_t own_end, bool (*visit)(const Mapping&, void*), void* argument) {
  if (mapping.begin < own_end && own_end < mapping.end) {
    Mapping own = mapping;
    own.end = mapping.begin = own_end;
    if (!visit(own, argument)) return false;
  }
  return visit(mapping, argument);
}

}  // namespace

std::uintptr_t hexadecimal(const char*& text) {
  std::uintptr_t value = 0;
  for (;; ++text) {
    const char c = *text;
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + static_cast<unsigned>(c - 'a' + 10);
    else
      return value;
  }
}

bool for_each_mapping(bool (*visit)(const Mapping&, void*), void* argument) {
  constexpr std::uintptr_t kPage = kPageBytes;
  const std::uintptr_t own_end = (own_image().end + kPage - 1) & ~(kPage - 1);
  Lines lines;
  if (!lines.open()) return false;
  while (const char* line = lines.next()) {
    Mapping mapping;
    if (parse(line, mapping) && !visit_parts(mapping, own_end, visit, argument)) break;
  }
  return true;
}

// /proc/self/smaps would say so, and walk through all pages for it. The kernel takes this flag only for what grows, and
// the protection stays as it is.
bool grows_by_itself(const Mapping& mapping) {
  constexpr long kPage = kPageBytes;
  const long same =
      (mapping.readable ? PROT_READ : 0) | (mapping.writable ? PROT_WRITE : 0) | (mapping.executable ? PROT_EXEC : 0);
  return os::system_call(SYS_mprotect, static_cast<long>(mapping.begin), kPage, same | PROT_GROWSDOWN) == 0;
}

OwnImage own_image() {
  OwnImage image;
  for_each_loaded_file(find_own_image, &image);
  return image;
}

}  // namespace heddle::runtime

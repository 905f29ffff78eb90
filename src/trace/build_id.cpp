// Finds the NT_GNU_BUILD_ID note of an ELF file; nothing in the file is trusted.
#include "trace/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle {
namespace {

// Only what is looked at is read: programs can be large.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat found {};
    readable_ = fd >= 0 && ::fstat(fd, &found) == 0 && S_ISREG(found.st_mode);
    if (readable_ && found.st_size > 0) {
      memory_ = ::mmap(nullptr, static_cast<std::size_t>(found.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
      if (memory_ == MAP_FAILED) memory_ = nullptr;
      if (memory_ != nullptr) size_ = static_cast<std::size_t>(found.st_size);
    }
    if (fd >= 0) ::close(fd);
  }
  ~MappedFile() {
    if (memory_ != nullptr) ::munmap(memory_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  bool readable() const { return readable_; }
  std::string_view content() const { return {static_cast<const char*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
  bool readable_ = false;
};

template <typename Struct>
std::optional<Struct> read_at(std::string_view file, std::uint64_t offset) {
  Struct value;
  if (offset > file.size() || file.size() - offset < sizeof value) return {};
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::string_view part(std::string_view file, std::uint64_t offset, std::uint64_t size) {
  if (offset > file.size() || file.size() - offset < size) return {};
  return file.substr(offset, size);
}

std::uint64_t aligned(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

std::string hex(std::string_view bytes) {
  std::string result;
  for (const char byte : bytes) result += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return result;
}

std::string build_id_in(std::string_view notes) {
  while (const auto note = read_at<Elf64_Nhdr>(notes, 0)) {
    const std::uint64_t name_at = sizeof *note, content_at = name_at + aligned(note->n_namesz);
    if (note->n_type == NT_GNU_BUILD_ID && part(notes, name_at, note->n_namesz) == std::string_view("GNU\0", 4))
      return hex(part(notes, content_at, note->n_descsz));
    notes = part(notes, content_at + aligned(note->n_descsz),
                 notes.size() - std::min<std::uint64_t>(notes.size(), content_at + aligned(note->n_descsz)));
  }
  return {};
}

std::string build_id_note(std::string_view file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64)
    return {};
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return {};
    if (segment->p_type != PT_NOTE) continue;
    std::string id = build_id_in(part(file, segment->p_offset, segment->p_filesz));
    if (!id.empty()) return id;
  }
  return {};
}

}  // namespace

std::string build_id_of(const std::string& path) {
  const MappedFile file(path);
  if (!file.readable()) return {};
  std::string id = build_id_note(file.content());
  return id.empty() ? fmt::format("content-{:016x}", XXH3_64bits(file.content().data(), file.content().size())) : id;
}

}  // namespace heddle

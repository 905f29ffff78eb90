// Finds the NT_GNU_BUILD_ID note of an ELF file; nothing in the file is trusted.
#include "trace/build_id.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "trace/atomic_file.h"

namespace heddle {
namespace {

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
    if (note->n_type == NT_GNU_BUILD_ID && part(notes, name_at, note->n_namesz) == std::string_view("GNU", 4))
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
  const FileContent file = read_file(path);
  if (!file.error.empty()) return {};
  std::string id = build_id_note(file.content);
  return id.empty() ? fmt::format("content-{:016x}", XXH3_64bits(file.content.data(), file.content.size())) : id;
}

}  // namespace heddle

// See state_archive.h.
#include "trace/state_archive.h"

namespace heddle {

void StateWriter::bytes(const void* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view piece(static_cast<const char*>(data), size);
  if (sink_ && size >= kPiece) {
    flush();
    return sink_(piece);
  }
  buffer_.append(piece);
  if (sink_ && buffer_.size() >= kPiece) flush();
}

void StateWriter::flush() {
  if (!sink_ || buffer_.empty()) return;
  sink_(buffer_);
  buffer_.clear();
}

bool StateReader::bytes(void* data, std::size_t size) {
  if (failed_ || size > left_.size()) {
    failed_ = true;
    left_ = {};
    return false;
  }
  if (size != 0) std::memcpy(data, left_.data(), size);
  left_.remove_prefix(size);
  return true;
}

std::size_t StateReader::count(std::size_t least) {
  std::uint64_t number = 0;
  get(number);
  if (failed_ || number <= left_.size() / least) return failed_ ? 0 : number;
  failed_ = true;
  left_ = {};
  return 0;
}

}  // namespace heddle

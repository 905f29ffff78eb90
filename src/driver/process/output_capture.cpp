// See output_capture.h.
#include "driver/process/output_capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "driver/process/system_error.h"

namespace heddle {
namespace {

std::string read_part(int descriptor, std::size_t from, std::size_t size) {
  std::string text(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count = pread(descriptor, text.data() + done, size - done, static_cast<off_t>(from + done));
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

}  // namespace

std::string OutputCapture::create() {
  descriptor_ = Descriptor(memfd_create("heddle-output", MFD_CLOEXEC));
  if (!descriptor_ || !set_flags()) return system_error("the program's output can't be captured");
  return {};
}

// Appending, so that standard output and standard error share one end however they are opened again. A program may set
// others, for all who have the file.
bool OutputCapture::set_flags() { return fcntl(descriptor_.get(), F_SETFL, O_APPEND) == 0; }

std::size_t OutputCapture::size() const {
  struct stat information {};
  return fstat(descriptor_.get(), &information) == 0 ? static_cast<std::size_t>(information.st_size) : 0;
}

std::string OutputCapture::read(std::size_t most) const {
  const std::size_t all = std::min(size(), most);
  if (all <= kKept) return read_part(descriptor_.get(), 0, all);
  const std::size_t half = kKept / 2;
  return read_part(descriptor_.get(), 0, half) + "\n[… " + std::to_string(all - kKept) + " bytes left out …]\n" +
         read_part(descriptor_.get(), all - half, half);
}

void OutputCapture::clear() {
  set_flags();
  if (ftruncate(descriptor_.get(), 0) == 0) lseek(descriptor_.get(), 0, SEEK_SET);
}

void OutputCapture::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_.get(), text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace heddle

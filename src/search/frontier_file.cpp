// See frontier_file.h. In the file: the head, and the pages.
#include "search/frontier_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#define XXH_INLINE_ALL  // header only
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "protocol/mix.h"
#include "trace/atomic_file.h"

namespace heddle {
namespace {

constexpr char kMagic[24] = "heddle frontier 1\n";

std::uint64_t hash_of(std::span<const FrontierEntry> entries) {
  return XXH3_64bits(entries.data(), entries.size_bytes());
}

std::uint32_t leaves_of(std::span<const FrontierEntry> entries) {
  return static_cast<std::uint32_t>(std::count_if(
      entries.begin(), entries.end(), [](const FrontierEntry& entry) { return entry.purpose() != Purpose::Revisit; }));
}

std::uint64_t new_id() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return scrambled(static_cast<std::uint64_t>(now) * kGoldenRatio + static_cast<std::uint64_t>(::getpid()));
}

// 0, or an errno value.
int write_at(int file, std::uint64_t position, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t done = ::pwrite(file, at, size, static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    at += done;
    position += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  return 0;
}

bool read_at(int file, std::uint64_t position, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size != 0) {
    const ssize_t done = ::pread(file, at, size, static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    at += done;
    position += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

// What is found needs room on the same disk: a part of it is left free.
bool is_nearly_full(int file) {
  constexpr std::uint64_t kLeftFree = 64;  // one part in so many
  struct statvfs disk {};
  return ::fstatvfs(file, &disk) == 0 && disk.f_blocks != 0 && disk.f_bavail < disk.f_blocks / kLeftFree;
}

}  // namespace

struct FrontierFile::Head {
  char magic[sizeof kMagic] = {};
  std::uint64_t id = 0;
};

FrontierFile::~FrontierFile() {
  if (file_ < 0) return;
  if (!is_needed_) ::unlink(options_.path.c_str());
  ::close(file_);
}

std::uint64_t FrontierFile::position_of(std::uint32_t slot) const {
  return sizeof(Head) + std::uint64_t{slot} * page_bytes();
}

// 0, or an errno value. Where there are no locks, there are none. (saved_search.cpp says why the lock is of this kind.)
int FrontierFile::open_and_lock(int flags) {
  const int file = ::open(options_.path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, kFileMode);
  if (file < 0) return errno;
  struct stat found {};
  struct flock all {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  int error = 0;
  if (::fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) error = EINVAL;
  if (error == 0 && ::fcntl(file, F_SETLK, &all) != 0 && (errno == EAGAIN || errno == EACCES)) error = EBUSY;
  if (error != 0) {
    ::close(file);
    return error;
  }
  file_ = file;
  return 0;
}

bool FrontierFile::create() {
  if (const auto folder = std::filesystem::path(options_.path).parent_path(); !folder.empty())
    if (const int error = make_folders(folder.string()); error != 0) return give_up(error);
  if (const int error = open_and_lock(O_CREAT); error != 0) return give_up(error);
  id_ = new_id();
  Head head;
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.id = id_;
  int error = ::ftruncate(file_, 0) != 0 ? errno : 0;
  if (error == 0) error = write_at(file_, 0, &head, sizeof head);
  return error == 0 || give_up(error);
}

bool FrontierFile::give_up(int error) {
  given_up_ = true;
  const char* const why = error == EBUSY ? "another run of this program keeps its schedules there (-o DIR keeps them "
                                           "apart)"
                                         : std::strerror(error);
  note_ = "no more of the schedules that wait can be moved to " + options_.path + ": " + why +
          "; the search goes on with what fits into memory, where it may run some schedules twice";
  return false;
}

bool FrontierFile::write(std::span<const FrontierEntry> entries, Page& page) {
  if (!takes_more() || (file_ < 0 && !create())) return false;
  if (is_nearly_full(file_)) return give_up(ENOSPC);
  const bool grows = free_.empty();
  page = {hash_of(entries), grows ? slots_ : free_.back(), leaves_of(entries)};
  if (const int error = write_at(file_, position_of(page.slot), entries.data(), entries.size_bytes()); error != 0)
    return give_up(error);
  if (grows)
    ++slots_;
  else
    free_.pop_back();
  leaves_ += page.leaves;
  return true;
}

bool FrontierFile::read(const Page& page, std::span<FrontierEntry> entries) {
  const bool is_there = file_ >= 0 && read_at(file_, position_of(page.slot), entries.data(), entries.size_bytes());
  leaves_ -= page.leaves;
  free_slot(page.slot);
  if (is_there && hash_of(entries) == page.hash) return true;
  note_ = "schedules that wait were lost, so nothing is proved: what is in " + options_.path +
          " is not what was written there";
  return false;
}

void FrontierFile::free_slot(std::uint32_t slot) { (is_needed_ ? freed_ : free_).push_back(slot); }

void FrontierFile::clear() {
  leaves_ = next_due_ = 0;
  free_.clear();
  freed_.clear();
  for (std::uint32_t slot = 0; slot < slots_; ++slot) free_slot(slot);
}

void FrontierFile::state_was_kept() {
  is_needed_ = true;
  free_.insert(free_.end(), freed_.begin(), freed_.end());
  freed_.clear();
}

void FrontierFile::save(StateWriter& writer) const { writer(id_, slots_); }

void FrontierFile::restore(StateReader& reader, const std::vector<Page>& pages) {
  reader(id_, slots_);
  if (reader.failed() || pages.empty()) {
    slots_ = 0;
    return;
  }
  const auto fail = [&](const std::string& why) {
    reader.fail(options_.path + ", which has a part of its schedules, " + why);
  };
  if (options_.path.empty()) return reader.fail("a part of its schedules is on disk: give it --memory-limit again");
  if (const int error = open_and_lock(0); error != 0)
    return fail(error == EBUSY ? "is used by another process" : "can't be read: " + std::string(std::strerror(error)));
  Head head;
  struct stat found {};
  const bool is_ours = read_at(file_, 0, &head, sizeof head) && std::memcmp(head.magic, kMagic, sizeof kMagic) == 0 &&
                       head.id == id_ && ::fstat(file_, &found) == 0;
  is_needed_ = true;
  std::vector<bool> used(slots_);
  std::uint32_t end = 0;
  for (const Page& page : pages) {
    if (page.slot >= slots_ || used[page.slot]) return fail("makes no sense");
    used[page.slot] = true;
    leaves_ += page.leaves;
    end = std::max(end, page.slot + 1);
  }
  if (!is_ours || static_cast<std::uint64_t>(found.st_size) < position_of(end))
    return fail("is not the file that it was");
  for (std::uint32_t slot = slots_; slot-- > 0;)
    if (!used[slot]) free_.push_back(slot);
}

}  // namespace heddle

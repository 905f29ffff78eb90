// See saved_search.h. In the file: the magic line, the identity, the header, the content, and the trailer: how many
// bytes stand before it, and their hash.
#include "driver/explore/saved_search.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL  // header only
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "trace/atomic_file.h"
#include "trace/build_id.h"

namespace heddle {
namespace {

constexpr std::string_view kMagic = "heddle search state 1\n";

struct Trailer {
  std::uint64_t size = 0;
  std::uint64_t hash[2] = {};
};

Trailer trailer_of(std::uint64_t size, const XXH128_hash_t& hash) { return {size, {hash.low64, hash.high64}}; }

bool is_whole(std::string_view file) {
  Trailer trailer;
  if (file.size() < kMagic.size() + sizeof trailer) return false;
  const std::string_view rest = file.substr(0, file.size() - sizeof trailer);
  std::memcpy(&trailer, rest.data() + rest.size(), sizeof trailer);
  const Trailer right = trailer_of(rest.size(), XXH3_128bits(rest.data(), rest.size()));
  return std::memcmp(&trailer, &right, sizeof trailer) == 0;
}

// Of the whole file, and the process's. flock() would not do: its locks belong to the open file, which a process that
// was forked has, too, until it becomes a program. If Heddle is killed in between, the search would be taken for one
// that is going on. What this asks for: nobody here may open and close a file that is locked, which would unlock it.
bool locking(int fd, int operation, struct flock& request) {
  request = {};
  request.l_type = F_WRLCK;
  request.l_whence = SEEK_SET;
  return ::fcntl(fd, operation, &request) == 0;
}

// Nobody else has it. Another run's file is not waited for; where there are no locks, there are none.
bool lock(int fd) {
  struct flock request;
  return locking(fd, F_SETLK, request) || (errno != EAGAIN && errno != EACCES);
}

bool is_locked_by_another(int fd) {
  struct flock request;
  return locking(fd, F_GETLK, request) && request.l_type != F_UNLCK;
}

// To be locked it has to be open for writing. If that is not allowed, neither can another run keep its search there.
int open_to_lock(const char* path) {
  const int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = ::open(path, O_RDWR | flags);
  return fd >= 0 || errno == ENOENT ? fd : ::open(path, O_RDONLY | flags);
}

std::string restart(const char* what) { return fmt::format("{}; without --resume the search begins anew", what); }

const std::string* value_of(const std::vector<std::pair<std::string, std::string>>& options, const std::string& name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const auto& option) { return option.first == name; });
  return found == options.end() ? nullptr : &found->second;
}

// "--max-preemptions=2, and now there is none"; empty: they are the same.
std::string different_option(const std::vector<std::pair<std::string, std::string>>& saved,
                             const std::vector<std::pair<std::string, std::string>>& now) {
  const auto text = [](const std::string& name, const std::string* value) {
    return value == nullptr ? "no " + name : value->empty() ? name : name + "=" + *value;
  };
  for (const auto* list : {&saved, &now})
    for (const auto& [name, value] : *list) {
      const std::string *then = value_of(saved, name), *today = value_of(now, name);
      if ((then == nullptr) != (today == nullptr) || (then != nullptr && *then != *today))
        return fmt::format("{}, and this is {}", text(name, then), text(name, today));
    }
  return {};
}

std::string words(const std::vector<std::string>& command) { return fmt::format("{}", fmt::join(command, " ")); }

}  // namespace

std::string SavedSearch::frontier_path() const {
  constexpr std::string_view kEnding = ".state";
  const std::string base = path_.ends_with(kEnding) ? path_.substr(0, path_.size() - kEnding.size()) : path_;
  return base + ".frontier";
}

void SavedSearch::forget() {
  if (!mapped_.empty()) ::munmap(const_cast<char*>(mapped_.data()), mapped_.size());
  mapped_ = content_ = {};
}

std::string SavedSearch::load() {
  Descriptor fd(open_to_lock(path_.c_str()));
  struct stat found {};
  if (!fd && errno == ENOENT)
    return fmt::format(
        "there is no search to resume: {} does not exist (a search is kept there once it has run for --save-every, and "
        "until it has come to its end)",
        path_);
  if (!fd || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode))
    return fmt::format("the search in {} can't be read: {}", path_, fd ? "it is no file" : std::strerror(errno));
  if (!lock(fd.get())) return fmt::format("the search in {} is going on in another process", path_);
  const auto size = static_cast<std::size_t>(found.st_size);
  if (size > max_bytes_ + sizeof(Trailer))
    return fmt::format("the search in {} can't be resumed: {}", path_, restart("the file is larger than any search"));
  void* const memory = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (memory != MAP_FAILED) mapped_ = {static_cast<const char*>(memory), size};
  const std::string error = check(mapped_);
  if (!error.empty()) {
    forget();
    return fmt::format("the search in {} can't be resumed: {}", path_, error);
  }
  locked_ = std::move(fd);
  loaded_ = true;
  return {};
}

std::string SavedSearch::check(std::string_view file) {
  const bool ours = file.substr(0, kMagic.size()) == kMagic;
  if (!ours && kMagic.substr(0, file.size()) != file.substr(0, kMagic.size()))
    return restart("the file is no search of this version of Heddle");
  if (!is_whole(file)) return restart("the file is damaged (cut off, or changed)");
  file.remove_suffix(sizeof(Trailer));
  StateReader reader(file.substr(kMagic.size()));
  SearchIdentity saved;
  reader(saved.heddle);
  if (saved.heddle != identity_.heddle) return restart("it was written by another build of Heddle");
  reader(saved.program, saved.build_id, saved.command, saved.options, header_);
  if (reader.failed()) return restart("the file makes no sense");
  content_ = reader.left();
  const std::string different = mismatch_with(saved);
  return different.empty() ? mismatch_of_files() : different;
}

std::string SavedSearch::mismatch_of_files() const {
  for (const auto& [path, build] : header_.files)
    if (build_id_of(path) != build) return restart((path + " has been built anew since").c_str());
  return {};
}

std::string SavedSearch::mismatch_with(const SearchIdentity& saved) const {
  if (saved.program != identity_.program)
    return fmt::format("it is of another program, {}; -o keeps searches apart", saved.program);
  if (saved.build_id != identity_.build_id) return restart("the program has been built anew since");
  if (saved.command != identity_.command)
    return fmt::format("it is of another command: {}; resume that one, or leave --resume out to begin anew",
                       words(saved.command));
  const std::string option = different_option(saved.options, identity_.options);
  if (!option.empty())
    return fmt::format("it was begun with {}; give it the same options, or leave --resume out to begin anew", option);
  return {};
}

bool SavedSearch::is_in_use() const {
  struct stat ours {
  }, there{};
  if (::lstat(path_.c_str(), &there) != 0 || !S_ISREG(there.st_mode)) return false;
  const bool is_ours =
      locked_ && ::fstat(locked_.get(), &ours) == 0 && ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
  if (is_ours) return false;  // and opening it would unlock it
  const Descriptor file(::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file && is_locked_by_another(file.get());
}

std::string SavedSearch::too_large() const {
  return fmt::format("the search has grown too large to be kept any further (more than {} MB): {}", max_bytes_ >> 20,
                     kept() ? "--resume would go on from its last state in " + path_ : "--resume can't go on with it");
}

std::string SavedSearch::write(const SavedHeader& header, const std::function<void(StateWriter&)>& content) {
  const auto problem = [this](int error) {
    return fmt::format("the search can't be kept for --resume: {}: {}", path_, std::strerror(error));
  };
  if (const auto folder = std::filesystem::path(path_).parent_path(); !folder.empty())
    if (const int error = make_folders(folder.string()); error != 0) return problem(error);
  if (is_in_use()) return problem(EBUSY) + " (another run of this program keeps its search there; use -o)";
  AtomicFile file;
  int error = file.create(path_);
  if (error == 0 && !lock(file.descriptor())) error = EBUSY;
  if (error != 0) return problem(error);
  XXH3_state_t hash;
  XXH3_INITSTATE(&hash);
  XXH3_128bits_reset(&hash);
  std::uint64_t size = 0;
  StateWriter writer([&](std::string_view piece) {
    XXH3_128bits_update(&hash, piece.data(), piece.size());
    size += piece.size();
    if (error == 0) error = size > max_bytes_ ? EFBIG : write_all(file.descriptor(), piece);
  });
  writer.bytes(kMagic.data(), kMagic.size());
  writer(identity_, header);
  content(writer);
  writer.flush();
  const Trailer trailer = trailer_of(size, XXH3_128bits_digest(&hash));
  if (error == 0) error = write_all(file.descriptor(), {reinterpret_cast<const char*>(&trailer), sizeof trailer});
  if (error == 0) error = file.put();
  if (size > max_bytes_) return too_large();
  if (error != 0) return problem(error);
  locked_ = Descriptor(file.take_descriptor());
  return {};
}

void SavedSearch::remove_if_ended() {
  if (!ended_ || !locked_) return;
  ::unlink(path_.c_str());
  ::unlink(frontier_path().c_str());
  locked_ = {};
}

}  // namespace heddle

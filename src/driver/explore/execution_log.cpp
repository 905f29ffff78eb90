// See execution_log.h.
#include "driver/explore/execution_log.h"

#include <fmt/format.h>
#define XXH_INLINE_ALL  // header only
#include <sys/wait.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "trace/atomic_file.h"
#include "trace/words.h"

namespace heddle {
namespace {

template <typename List>
void hash(XXH3_state_t& state, const List& records) {
  if (!records.empty()) XXH3_128bits_update(&state, records.data(), records.size() * sizeof(*records.data()));
}

// One word: the exit status, or the signal that ended it.
std::string status_word(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal-{}", WTERMSIG(status)) : std::to_string(WEXITSTATUS(status));
}

}  // namespace

ExecutionLog::ExecutionLog(const std::string& file) : name_(file) {
  if (file.empty()) return;
  file_ = Descriptor(open_to_grow(file));
  if (!file_) fmt::print(stderr, "heddle: {} can't be written: {}\n", file, std::strerror(errno));
}

std::string ExecutionLog::add(std::uint64_t number, const Execution& execution) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  hash(state, execution.steps);
  for (const StateChange& change : execution.changes) {
    const std::uint64_t packed = std::uint64_t{change.step} << 32 | std::uint64_t{change.task} << 16 |
                                 std::uint64_t{change.yields} << 8 | change.state;
    XXH3_128bits_update(&state, &packed, sizeof packed);
  }
  hash(state, execution.tasks);
  hash(state, execution.objects);
  hash(state, execution.pending);
  for (const ExecutionMessage& message : execution.messages)
    if (message.kind != MessageKind::Input)  // names what is outside: under another isolation it has other paths
      XXH3_128bits_update(&state, message.text.data(), message.text.size());
  XXH3_128bits_update(&state, execution.output.data(), execution.output.size());
  const XXH128_hash_t digest = XXH3_128bits_digest(&state);
  const std::string line = fmt::format("{} {} {} {} {:016x}{:016x}\n", number, execution.steps.size(),
                                       word_for(kEndWords, execution.end.end), status_word(execution.end.status),
                                       digest.high64, digest.low64);
  const int error = write_all(file_.get(), line);  // each line at once: it is there also when we are killed
  if (error == 0) return {};
  file_ = Descriptor();
  return fmt::format("the execution log {} can't be written any further, and is cut off before schedule {}: {}", name_,
                     number, std::strerror(error));
}

}  // namespace heddle

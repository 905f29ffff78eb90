// See input_notes.h.
#include "runtime/world/input_notes.h"

#include <stdio.h>
#include <string.h>

#include <array>

#include "protocol/mix.h"
#include "runtime/os/rare.h"
#include "runtime/ring/recorder.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

constexpr unsigned kMaxNotes = 32;
struct ExecutionNotes {
  Rare<std::array<std::uint64_t, kMaxNotes>> noted;  // hashes of what has been noted
  unsigned count = 0;
};
constinit ExecutionNotes execution_notes{};

// What came before the first execution: said at the beginning of each.
constexpr unsigned kMaxEarly = 8;
struct EarlyNote {
  char text[120];
  std::size_t size;
};

struct PermanentNotes {
  EarlyNote all[kMaxEarly];
  unsigned count = 0;
};
HEDDLE_PERMANENT constinit PermanentNotes permanent_notes{};

std::uint64_t hash_of(const char* text) {
  std::uint64_t seed = 0;
  for (; *text != '\0'; ++text) seed = (seed ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
  return scrambled(seed);
}

}  // namespace

void note_input(const char* what, Site site) {
  if (!runtime.recording && runtime.mode != Mode::Alone) return;
  const std::uint64_t key = hash_of(what);
  for (unsigned i = 0; i < execution_notes.count; ++i)
    if ((*execution_notes.noted)[i] == key) return;
  if (execution_notes.count == kMaxNotes) return;
  (*execution_notes.noted)[execution_notes.count++] = key;
  char text[300];
  const int size = snprintf(text, sizeof text, "%s%c%#lx", what, 0, static_cast<unsigned long>(site));
  const std::size_t length =
      static_cast<std::size_t>(size) < sizeof text ? static_cast<std::size_t>(size) : sizeof text - 1;
  if (runtime.recording) return record_message(MessageKind::Input, runtime.current, text, length);
  if (permanent_notes.count == kMaxEarly || length > sizeof permanent_notes.all[0].text) return;
  EarlyNote& note = permanent_notes.all[permanent_notes.count++];
  memcpy(note.text, text, length);
  note.size = length;
}

void record_early_inputs() {
  for (unsigned i = 0; i < permanent_notes.count; ++i)
    record_message(MessageKind::Input, kNoTask, permanent_notes.all[i].text, permanent_notes.all[i].size);
}

}  // namespace heddle::runtime

// See scripts.h.
#include "runtime/state/scripts.h"

#include "runtime/os/system_call.h"
#include "runtime/state/modules.h"
#include "runtime/state/runtime.h"

namespace heddle::runtime {
namespace {

ScriptFrames& frames_here() {
  ScriptFrames*& frames = current_data().script;
  if (frames == nullptr) frames = ::new (os::allocate(sizeof(ScriptFrames))) ScriptFrames;
  return *frames;
}

}  // namespace

Site add_script(const char* path) {
  runtime.has_scripts = true;
  publish_modules();  // the program comes first
  return publish_script(path);
}

void enter_script_function(Site site) {
  ScriptFrames& frames = frames_here();
  if (frames.depth < kMaxScriptFrames) frames.sites[frames.depth] = site;
  ++frames.depth;
}

void move_in_script(Site site) {
  ScriptFrames& frames = frames_here();
  if (frames.depth != 0 && frames.depth <= kMaxScriptFrames) frames.sites[frames.depth - 1] = site;
}

void leave_script_function() {
  ScriptFrames& frames = frames_here();
  if (frames.depth != 0) --frames.depth;
}

unsigned script_stack(const ScriptFrames* frames, Site* to, unsigned capacity) {
  if (frames == nullptr) return 0;
  unsigned count = 0;
  const unsigned known = frames->depth < kMaxScriptFrames ? frames->depth : kMaxScriptFrames;
  for (unsigned i = known; i > 0 && count < capacity; --i) to[count++] = frames->sites[i - 1];
  return count;
}

Site place_in_script(Site otherwise) {
  if (runtime.mode == Mode::Uninitialized || runtime.mode == Mode::PassThrough) return otherwise;
  Site innermost = 0;
  return script_stack(current_data().script, &innermost, 1) != 0 ? innermost : otherwise;
}

}  // namespace heddle::runtime

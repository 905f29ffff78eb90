// See thread_objects.h.
#include "thread_objects.h"

#include <atomic>
#include <string>

namespace {

std::atomic<int> made{0}, destroyed{0};

struct Object {
  Object() : text(100, 'o') { ++made; }
  ~Object() { ++destroyed; }
  std::string text;
  int uses = 0;
};

thread_local Object object;

}  // namespace

int use_thread_object() { return ++object.uses; }
int thread_objects_made() { return made; }
int thread_objects_destroyed() { return destroyed; }

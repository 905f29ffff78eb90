// To load a script makes it the current one, and what was loaded is compiled as the current one later. Another load may
// have begun between the two. Shape of Mozilla's LoadScript and OnLoadComplete. An atomicity violation.
// build: plain
#include <cassert>
#include <mutex>
#include <thread>

struct Script {
  const char* source;
  int loads;
  int compilations;
};

static std::mutex lock, cache_lock;
static Script scripts[] = {{"menu()", 0, 0}, {"sidebar()", 0, 0}};
static Script* current_script;
static int cached;

static void fetch(Script& script) {
  const std::lock_guard guard(cache_lock);
  ++script.loads;
  ++cached;
}

static void on_load_complete() { ++current_script->compilations; }

static void load_script(Script& script) {
  std::unique_lock guard(lock);
  current_script = &script;
#ifndef FIXED
  guard.unlock();
#endif
  fetch(script);
#ifndef FIXED
  guard.lock();
#endif
  on_load_complete();
}

int main() {
  std::thread threads[] = {std::thread([] { load_script(scripts[0]); }), std::thread([] { load_script(scripts[1]); })};
  for (std::thread& thread : threads) thread.join();
  assert(cached == 2);
  for (const Script& script : scripts) assert(script.loads == 1 && script.compilations == 1);
}

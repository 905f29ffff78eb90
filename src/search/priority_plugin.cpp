// A priority from a shared library of the user's (include/heddle/priority.h).
//
// Source: GAMBIT (PPoPP 2010), section 4.3: one function is all that there is to write. It runs in this process. Where
// it crashes, it is left by a jump, and says nothing more.
#include <absl/container/node_hash_map.h>
#include <dlfcn.h>
#include <heddle/priority.h>

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

#include "search/priority.h"

namespace heddle {
namespace {

using Function = std::int64_t (*)(const heddle_execution*, std::uint32_t, std::uint32_t);

struct Library {
  Function function = nullptr;
  std::string error;  // empty: none
};

Library load(const std::string& file) {
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return {nullptr, why != nullptr ? why : "it can't be loaded"};
  }
  const auto* const abi = static_cast<const std::uint32_t*>(dlsym(library, "heddle_priority_abi"));
  auto* const function = reinterpret_cast<Function>(dlsym(library, "heddle_priority"));
  if (abi == nullptr || function == nullptr)
    return {nullptr, file + " does not define heddle_priority; begin it with HEDDLE_PRIORITY of heddle/priority.h"};
  if (*abi != HEDDLE_PRIORITY_ABI)
    return {nullptr, file + " was built for version " + std::to_string(*abi) +
                         " of heddle/priority.h, and this is version " + std::to_string(HEDDLE_PRIORITY_ABI) +
                         "; build it again"};
  return {function, {}};
}

// Faults of the library's code end here.
thread_local sigjmp_buf* leave_by = nullptr;

void on_fault(int signal) {
  if (leave_by != nullptr) siglongjmp(*leave_by, signal);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// Faults lead to on_fault() from here on. Elsewhere they end the process, as ever.
void watch_for_faults() {
  struct sigaction action = {};
  action.sa_handler = on_fault;
  action.sa_flags = SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
}

class Plugin final : public Priority {
 public:
  explicit Plugin(const PriorityOptions& options)
      : file_(options.file),
        function_(load(options.file).function),
        name_place_(options.name_place),
        name_object_(options.name_object) {
    execution_.heddle = this;
    execution_.made = made;
    execution_.next = next;
    watch_for_faults();
  }

  void begin(const Lookahead& lookahead, std::uint32_t first) override {
    Priority::begin(lookahead, first);
    execution_.steps = lookahead.steps();
  }

  std::int64_t of(const Deviation& deviation) override {
    if (function_ == nullptr) return 0;
    sigjmp_buf here;
    if (const int signal = sigsetjmp(here, 0); signal != 0) {
      leave_by = nullptr;
      function_ = nullptr;
      note_ = "--priority=" + file_ + " crashed (" + strsignal(signal) + "): from here on it decides nothing";
      return 0;
    }
    leave_by = &here;
    try {
      const std::int64_t result = function_(&execution_, deviation.step, deviation.choice.task);
      leave_by = nullptr;
      return result;
    } catch (...) {
      leave_by = nullptr;
      function_ = nullptr;
      note_ = "--priority=" + file_ + " has thrown an exception: from here on it decides nothing";
      return 0;
    }
  }

  std::string take_note() override { return std::exchange(note_, {}); }

 private:
  static const Plugin& self(const heddle_execution* execution) {
    return *static_cast<const Plugin*>(execution->heddle);
  }

  static int made(const heddle_execution* execution, std::uint32_t step, heddle_operation* operation) {
    const Plugin& plugin = self(execution);
    if (step >= plugin.lookahead().steps()) return 0;
    return plugin.describe(plugin.lookahead().made(step), plugin.lookahead().execution().steps[step].task, *operation);
  }
  static int next(const heddle_execution* execution, std::uint32_t task, std::uint32_t step,
                  heddle_operation* operation) {
    const Plugin& plugin = self(execution);
    if (task >= kNoTask || step > plugin.lookahead().steps()) return 0;
    const NextOperation next = plugin.lookahead().next(static_cast<TaskId>(task), step);
    return next.known() ? plugin.describe(next, static_cast<TaskId>(task), *operation) : 0;
  }

  int describe(const NextOperation& operation, TaskId task, heddle_operation& result) const {
    const ObjectRecord* const object =
        operation.object != kNoObject ? lookahead().execution().object(operation.object) : nullptr;
    result.task = task;
    result.object = operation.object;
    result.address = object != nullptr ? object->address : 0;
    result.place = operation.site;
    result.kind = name(operation.kind);
    result.function =
        place_names_
            .lazy_emplace(operation.site,
                          [&](const auto& make) {
                            make(operation.site, name_place_ ? name_place_(operation.site) : std::string());
                          })
            ->second.c_str();
    result.variable =
        object_names_
            .lazy_emplace(result.address,
                          [&](const auto& make) {
                            make(result.address,
                                 name_object_ && object != nullptr ? name_object_(result.address) : std::string());
                          })
            ->second.c_str();
    result.wrote = operation.wrote ? 1 : 0;
    result.depth = operation.stack != nullptr ? static_cast<std::uint32_t>(operation.stack->size()) : 0;
    result.stack = operation.stack != nullptr ? operation.stack->data() : nullptr;
    return 1;
  }

  std::string file_;
  Function function_;
  std::function<std::string(Site)> name_place_;
  std::function<std::string(std::uint64_t)> name_object_;
  heddle_execution execution_{};
  mutable absl::node_hash_map<Site, std::string> place_names_;
  mutable absl::node_hash_map<std::uint64_t, std::string> object_names_;
  std::string note_;
};

}  // namespace

PriorityEntry plugin_priority() {
  return {kPriorityFile, "a function of your own (heddle/priority.h)",
          [](const PriorityOptions& options) -> std::unique_ptr<Priority> { return std::make_unique<Plugin>(options); },
          [](const std::string& file) { return load(file).error; }};
}

}  // namespace heddle

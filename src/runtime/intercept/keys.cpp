// See keys.h.
#include "runtime/intercept/keys.h"

#include <limits.h>

#include "runtime/intercept/calls.h"
#include "runtime/intercept/initialize.h"
#include "runtime/intercept/intercept.h"
#include "runtime/os/system_call.h"
#include "runtime/state/up_calls.h"

using namespace heddle;
using namespace heddle::runtime;

namespace heddle::runtime {
namespace {

using Destructor = void (*)(void*);
struct ExecutionKeys {
  Destructor* destructors = nullptr;  // PTHREAD_KEYS_MAX entries
  pthread_key_t highest = 0;          // one past the highest key that has one; 0: none
};
constinit ExecutionKeys execution_keys{};

bool run_once() {
  bool any = false;
  for (pthread_key_t key = 0; key < execution_keys.highest; ++key) {
    const Destructor destructor = execution_keys.destructors[key];
    if (destructor == nullptr) continue;
    void* value = real::pthread_getspecific(key);
    if (value == nullptr) continue;
    real::pthread_setspecific(key, nullptr);
    destructor(value);
    any = true;
  }
  return any;
}

}  // namespace

void run_key_destructors() {
  for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS && run_once(); ++round) {
  }
}

int create_key(pthread_key_t* key, void (*destructor)(void*)) {
  const int error = real::pthread_key_create(key, nullptr);  // glibc must not run it a second time
  if (error == 0 && *key < PTHREAD_KEYS_MAX) {
    if (execution_keys.destructors == nullptr)
      execution_keys.destructors = static_cast<Destructor*>(os::allocate(sizeof(Destructor) * PTHREAD_KEYS_MAX));
    execution_keys.destructors[*key] = destructor;
    if (destructor != nullptr && *key >= execution_keys.highest) execution_keys.highest = *key + 1;
  }
  return error;
}

int delete_key(pthread_key_t key, Site site) {
  if (others_are_there()) perform(OperationKind::KeyDelete, kNoObject, site);
  if (key < PTHREAD_KEYS_MAX && execution_keys.destructors != nullptr) execution_keys.destructors[key] = nullptr;
  return real::pthread_key_delete(key);
}

}  // namespace heddle::runtime

HEDDLE_EXPORT int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (!controlled()) return real::pthread_key_create(key, destructor);
  return create_key(key, destructor);
}

HEDDLE_EXPORT int pthread_key_delete(pthread_key_t key) {
  if (!controlled()) return real::pthread_key_delete(key);
  return delete_key(key, HEDDLE_CALLER);
}

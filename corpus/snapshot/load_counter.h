// Loads one of the libraries of this folder that count calls (see library/).
#pragma once

#include <assert.h>
#include <dlfcn.h>
#include <stddef.h>

struct Counter {
  void* handle;
  int (*count_call)(void);
  int (*count_call_of_thread)(void);
};

static inline struct Counter load_counter(const char* path) {
  struct Counter result;
  result.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  assert(result.handle != NULL);
  *(void**)&result.count_call = dlsym(result.handle, "count_call");
  *(void**)&result.count_call_of_thread = dlsym(result.handle, "count_call_of_thread");
  assert(result.count_call != NULL && result.count_call_of_thread != NULL);
  return result;
}

// Symbolization, tried on this very test program, which is built with debug information.
#include "analysis/symbolizer.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>

#include <cstddef>
#include <mutex>

#include "analysis/names.h"
#include "support/execution_builder.h"

namespace symbolizer_test {

struct Inner {
  int first;
  pthread_mutex_t lock;
};
struct Outer {
  char name[16];
  Inner inner[3];
  std::mutex standard;
};
Outer global;
int plain;
int table[10][3];
Inner cube[2][3][4];
int numbered asm("numbered.1");   // as a C compiler calls a static variable of a function
int split[3] asm("_ZL5split.0");  // as clang calls a part of a static variable
pthread_mutex_t bare;

// Where it was called from, and its line.
[[gnu::noinline]] heddle::Site here(int& line, int line_now) {
  line = line_now;
  return reinterpret_cast<heddle::Site>(__builtin_return_address(0));
}

[[gnu::noinline]] heddle::Site known_function(int& line) {
  const heddle::Site site = here(line, __LINE__);
  asm volatile("" ::: "memory");
  return site;
}

[[gnu::always_inline]] inline heddle::Site inlined_one(int& line) {
  const heddle::Site site = here(line, __LINE__);
  asm volatile("" ::: "memory");
  return site;
}

[[gnu::noinline]] heddle::Site outer_function(int& line, int& call_line) {
  call_line = __LINE__ + 1;
  const heddle::Site site = inlined_one(line);
  asm volatile("" ::: "memory");
  return site;
}

// The code of a lambda in a constructor is described inside of an abstract function.
struct WithLambda {
  WithLambda(int& line, int& call_line) {
    const auto lambda = [&]() __attribute__((noinline)) {
      call_line = __LINE__ + 1;
      site = inlined_one(line);
      asm volatile("" ::: "memory");
    };
    lambda();
  }
  heddle::Site site = 0;
};

// The frame of whoever calls it.
[[gnu::noinline]] heddle::StackFrame frame_of_caller(std::uint64_t frame_pointer, const void* begin) {
  heddle::StackFrame frame;
  frame.site = reinterpret_cast<heddle::Site>(__builtin_return_address(0));
  frame.stack_pointer = reinterpret_cast<std::uint64_t>(__builtin_dwarf_cfa());
  frame.frame_pointer = frame_pointer;
  frame.begin = reinterpret_cast<std::uint64_t>(begin);
  return frame;
}

struct Locals {
  heddle::MemoryOrigin origin;
  std::uint64_t first, second, in_block;
};

[[gnu::noinline]] Locals local_variables() {
  Outer first = {};
  int second = 0;
  asm volatile("" : : "r"(&first), "r"(&second) : "memory");
  Locals locals;
  {
    int in_block = 0;
    asm volatile("" : : "r"(&in_block) : "memory");
    locals.in_block = reinterpret_cast<std::uint64_t>(&in_block);
  }
  std::uint64_t frame_pointer = 0;
  asm volatile("mov %%rbp, %0" : "=r"(frame_pointer));
  locals.origin.frames = {frame_of_caller(frame_pointer, __builtin_dwarf_cfa())};
  asm volatile("" : : "r"(&first), "r"(&second) : "memory");
  locals.first = reinterpret_cast<std::uint64_t>(&first);
  locals.second = reinterpret_cast<std::uint64_t>(&second);
  return locals;
}

}  // namespace symbolizer_test

namespace heddle {
namespace {

using namespace symbolizer_test;

ModuleMap loaded_modules() {
  ModuleMap modules;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        ModuleMap::Entry entry;
        entry.path = *info->dlpi_name == '\0' ? "/proc/self/exe" : info->dlpi_name;
        entry.base = info->dlpi_addr;
        entry.begin = UINT64_MAX;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          const std::uint64_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
          entry.begin = std::min(entry.begin, begin);
          entry.end = std::max(entry.end, begin + info->dlpi_phdr[i].p_memsz);
        }
        static_cast<ModuleMap*>(data)->add(entry);
        return 0;
      },
      &modules);
  return modules;
}

std::uint64_t address_of(const auto& object) { return reinterpret_cast<std::uint64_t>(&object); }

TEST(Symbolizer, FindsWhatIsInlinedIntoALambdaOfAConstructor) {
  int line = 0, call_line = 0;
  const WithLambda made(line, call_line);
  Symbolizer symbolizer(loaded_modules());
  const std::vector<Frame>& frames = symbolizer.frames(made.site);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "symbolizer_test::inlined_one");
  EXPECT_EQ(frames[0].line, line);
  EXPECT_EQ(frames[1].function, "lambda in symbolizer_test::WithLambda::WithLambda");
  EXPECT_EQ(frames[1].line, call_line);
}

TEST(Symbolizer, FunctionFileAndLine) {
  Symbolizer symbolizer(loaded_modules());
  int line = 0;
  const auto& frames = symbolizer.frames(known_function(line));
  EXPECT_EQ(frames.front().function, "symbolizer_test::known_function");
  EXPECT_NE(frames.front().file.find("symbolizer_test.cpp"), std::string::npos);
  EXPECT_EQ(frames.front().line, line);
  EXPECT_TRUE(is_user_code(frames.front()));
}

TEST(Symbolizer, InlinedFramesInnermostFirst) {
  Symbolizer symbolizer(loaded_modules());
  int line = 0, call_line = 0;
  const auto& frames = symbolizer.frames(outer_function(line, call_line));
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "symbolizer_test::inlined_one");
  EXPECT_TRUE(frames[0].inlined);
  EXPECT_EQ(frames[0].line, line);
  EXPECT_EQ(frames[1].function, "symbolizer_test::outer_function");
  EXPECT_EQ(frames[1].line, call_line);
}

TEST(Symbolizer, VariablesAndTheirMembers) {
  Symbolizer symbolizer(loaded_modules());
  EXPECT_EQ(symbolizer.variable(address_of(plain)), "symbolizer_test::plain");
  EXPECT_EQ(symbolizer.variable(address_of(bare)), "symbolizer_test::bare");
  EXPECT_EQ(symbolizer.variable(address_of(global.inner[2].lock)), "symbolizer_test::global.inner[2].lock");
  EXPECT_EQ(symbolizer.variable(address_of(global.standard)), "symbolizer_test::global.standard");
  EXPECT_EQ(symbolizer.variable(address_of(global.standard) + 4), "symbolizer_test::global.standard")
      << "what the C++ library keeps inside is the user's variable";
  EXPECT_EQ(symbolizer.variable(address_of(global.inner[1].first) + 1), "symbolizer_test::global+0x41");
}

TEST(Symbolizer, AllDimensionsOfAnArray) {
  Symbolizer symbolizer(loaded_modules());
  EXPECT_EQ(symbolizer.variable(address_of(table[0][0])), "symbolizer_test::table[0][0]");
  EXPECT_EQ(symbolizer.variable(address_of(table[4][1])), "symbolizer_test::table[4][1]");
  EXPECT_EQ(symbolizer.variable(address_of(table[9][2])), "symbolizer_test::table[9][2]");
  EXPECT_EQ(symbolizer.variable(address_of(cube[1][2][3].lock)), "symbolizer_test::cube[1][2][3].lock");
}

TEST(Symbolizer, NoSuffixOfTheCompilers) {
  Symbolizer symbolizer(loaded_modules());
  EXPECT_EQ(symbolizer.variable(address_of(numbered)), "numbered");
  EXPECT_EQ(symbolizer.variable(address_of(split[1])), "split[1]");
}

TEST(Symbolizer, WhatHasNoName) {
  Symbolizer symbolizer(loaded_modules());
  int local = 0;
  EXPECT_EQ(symbolizer.variable(address_of(local)), "");
  EXPECT_EQ(symbolizer.variable(0), "");
  EXPECT_EQ(symbolizer.frames(0).size(), 1u);
  EXPECT_EQ(symbolizer.frames(0x10).front().file, "");
  EXPECT_EQ(symbolizer.raw(0x10), "0x10");
}

TEST(Symbolizer, LibrariesAreNotUserCode) {
  Symbolizer symbolizer(loaded_modules());
  const auto site = reinterpret_cast<Site>(dlsym(RTLD_DEFAULT, "pthread_create"));
  EXPECT_FALSE(is_user_code(symbolizer.frames(site + 1).front()));
  EXPECT_FALSE(is_user_code({"execute_native_thread_routine", "", 0, "/tmp/linked_statically", false}));
  EXPECT_FALSE(is_user_code({"std::mutex::lock", "", 0, "/tmp/program", false}));
  EXPECT_FALSE(is_user_code({"f", "/usr/include/c++/12/mutex", 100, "/tmp/program", true}));
  EXPECT_FALSE(is_user_code({"f", "", 0, "", false}));
  EXPECT_TRUE(is_user_code({"f", "", 0, "/tmp/program", false}));
  EXPECT_TRUE(is_user_code({"f", "/usr/src/mine/a.c", 1, "/tmp/program", false}));
}

TEST(Symbolizer, MissingFilesDoNoHarm) {
  ModuleMap modules;
  modules.add({"/nowhere/program", 0x1000, 0x1000, 0x9000});
  modules.add({"/etc/passwd", 0x10000, 0x10000, 0x90000});
  Symbolizer symbolizer(modules);
  EXPECT_EQ(symbolizer.raw(0x1234), "program+0x234");
  EXPECT_EQ(symbolizer.frames(0x1234).front().module, "/nowhere/program");
  EXPECT_EQ(symbolizer.frames(0x10010).front().function, "");
}

TEST(Names, ThreadsObjectsAndPlaces) {
  int line = 0;
  const Site site = known_function(line);
  test::ExecutionBuilder builder;
  const TaskId named = builder.task(), by_entry = builder.task(reinterpret_cast<Site>(&known_function)),
               second = builder.task(reinterpret_cast<Site>(&known_function)), unknown = builder.task();
  builder.message(MessageKind::TaskName, named, "io");
  const ObjectId global_lock = builder.object(ObjectKind::Mutex, address_of(bare));
  const ObjectId heap_lock = builder.object(ObjectKind::Mutex, 0x10, site);
  builder.step(0, OperationKind::MutexLock, heap_lock, site);
  const Execution execution = builder.exited(0);
  Symbolizer symbolizer(loaded_modules());
  Names names(execution, symbolizer, "");
  EXPECT_EQ(names.task(0).text, "main");
  EXPECT_EQ(names.task(named).text, "io");
  EXPECT_EQ(names.task(by_entry).text, "symbolizer_test::known_function 1");
  EXPECT_EQ(names.task(second).text, "symbolizer_test::known_function 2");
  EXPECT_EQ(names.task(unknown).text, "thread 4");
  EXPECT_EQ(names.task(99).text, "thread 99");
  EXPECT_EQ(names.object(global_lock).text, "symbolizer_test::bare");
  EXPECT_EQ(names.object(heap_lock).text, "mutex 1");
  EXPECT_EQ(names.object_origin(global_lock).text(), "");
  EXPECT_EQ(names.object_origin(heap_lock).text(), "first used at symbolizer_test.cpp:" + std::to_string(line));
  EXPECT_EQ(names.places().name_of_step(0).text, "symbolizer_test.cpp:" + std::to_string(line));
}

// The library's start function calls the user's. What stands on the stack without it runs before or after.
TEST(Names, AThreadIsNotCalledAfterItsDestructors) {
  int line = 0;
  const Site user = known_function(line);
  const auto start = reinterpret_cast<Site>(dlsym(RTLD_DEFAULT, "qsort_r"));
  const auto other = reinterpret_cast<Site>(dlsym(RTLD_DEFAULT, "getenv"));
  test::ExecutionBuilder builder;
  constexpr Site kOurs = 0x1800;
  const TaskId destructors_only = builder.task(start), both = builder.task(start), deep = builder.task(start);
  const auto step = [&](TaskId task, std::vector<Site> stack) {
    builder.step(task, OperationKind::MutexLock, kNoObject, stack.front());
    builder.execution.stacks.push_back(std::move(stack));
  };
  step(destructors_only, {user, other + 5, kOurs});
  step(both, {user, kOurs});
  step(both, {user, start + 5, kOurs});
  step(deep, {user, other + 5});
  const Execution execution = builder.exited(0);
  ModuleMap modules = loaded_modules();
  modules.add({"/nowhere/libheddle.so", 0x1000, 0x1000, 0x2000});
  Symbolizer symbolizer(modules);
  Names names(execution, symbolizer, "");
  EXPECT_EQ(names.task(destructors_only).text, "thread 1");
  EXPECT_EQ(names.task(both).text, "symbolizer_test::known_function 1");
  EXPECT_EQ(names.task(deep).text, "symbolizer_test::known_function 2");
}

TEST(Names, PlacesRelativeToAFolder) {
  int line = 0;
  const Site site = known_function(line);
  const Execution execution = test::ExecutionBuilder().exited(0);
  Symbolizer symbolizer(loaded_modules());
  const std::string file = symbolizer.frames(site).front().file;
  Names names(execution, symbolizer, file.substr(0, file.rfind('/')));
  EXPECT_EQ(names.places().full_name(names.places().of_site(site)).text, "symbolizer_test.cpp:" + std::to_string(line));
  Names elsewhere(execution, symbolizer, "/elsewhere");
  EXPECT_EQ(elsewhere.places().full_name(elsewhere.places().of_site(site)).text, file + ":" + std::to_string(line));
}

// The crash's own address is exact; one less would be in the line before.
TEST(Names, AFaultIsNoReturnAddress) {
  test::ExecutionBuilder builder;
  builder.pending(0, OperationKind::None).site = reinterpret_cast<Site>(&known_function);
  const Execution execution = builder.exited(0);
  Symbolizer symbolizer(loaded_modules());
  Names names(execution, symbolizer, "");
  EXPECT_EQ(names.places().of_pending(0).frame.function, "symbolizer_test::known_function");
}

TEST(Symbolizer, VariablesOfAFrame) {
  Symbolizer symbolizer(loaded_modules());
  Locals locals = local_variables();
  const auto name = [&](std::uint64_t address) {
    const auto local = symbolizer.local_variable(locals.origin, address);
    return local ? local->name + " of " + local->function : std::string();
  };
  EXPECT_EQ(name(locals.second), "second of symbolizer_test::local_variables()");
  EXPECT_EQ(name(locals.first + offsetof(Outer, inner[2].lock)),
            "first.inner[2].lock of symbolizer_test::local_variables()");
  EXPECT_EQ(name(locals.second + 1), "") << "nothing begins there";
  EXPECT_EQ(name(locals.in_block), "") << "its block is over";
  EXPECT_EQ(name(locals.first + sizeof(Outer) + 4096), "");
  locals.origin.frames[0].site = reinterpret_cast<Site>(&known_function) + 1;
  EXPECT_EQ(name(locals.second), "") << "another function's frame";
  locals.origin.frames[0].site = 1;
  EXPECT_EQ(name(locals.second), "");
}

}  // namespace
}  // namespace heddle

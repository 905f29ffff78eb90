// Two classes with a virtual function, and room for an object of either.
#pragma once
#include <new>
#include <thread>

struct Base {
  virtual int get() = 0;
};

struct One : Base {
  int get() override { return 1; }
};

struct Other : Base {
  int get() override { return 2; }
};

alignas(One) static char room[sizeof(One)];

[[gnu::noinline]] static void use(Base& object) {
  if (object.get() == 3) __builtin_trap();
}

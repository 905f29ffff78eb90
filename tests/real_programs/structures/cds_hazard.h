// libcds with hazard pointers: each thread that uses a container is attached to the collector, which lies in libcds.so.
#pragma once

#include <cds/gc/hp.h>
#include <cds/init.h>

#include "structure_test.h"

inline constexpr Attachment kAttached = {cds::threading::Manager::attachThread, cds::threading::Manager::detachThread};

template <class Test>
int with_hazard_pointers(Test test) {
  cds::Initialize();
  {
    const cds::gc::HP collector;
    kAttached.begin();
    test();
    kAttached.end();
  }
  cds::Terminate();
  return 0;
}

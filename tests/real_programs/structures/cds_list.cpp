// Michael's ordered list, as a set: of several inserts of one key one succeeds, and so it is with erasing.
#include <cds/container/michael_list_hp.h>

#include "cds_hazard.h"

struct Traits : cds::container::michael_list::traits {
  using less = std::less<int>;
};

int main() {
  return with_hazard_pointers([] {
    cds::container::MichaelList<cds::gc::HP, int, Traits> set;
    int inserted[2] = {}, erased[2] = {};
    auto work = [&](int self) {
      inserted[self] += set.insert(1);
      inserted[self] += set.insert(2 + self);
      require(set.contains(2 + self), "nobody else erases it");
      erased[self] += set.erase(1);
      erased[self] += set.erase(2 + self);
    };
    std::thread other([&] {
      kAttached.begin();
      work(1);
      kAttached.end();
    });
    work(0);
    other.join();
    require(inserted[0] + inserted[1] == erased[0] + erased[1], "as many were erased as inserted");
#ifdef ASK_WHETHER_EMPTY
    const bool empty = set.empty();
#else
    const bool empty = set.contains(4) || set.empty();  // who walks through it takes out what is marked as erased
#endif
    require(empty, "empty, when as many were erased as inserted");
  });
}

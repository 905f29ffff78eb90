// See causes.h.
#include "report/causes.h"

#include <algorithm>

namespace heddle {
namespace {

unsigned rank_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Deadlock:
      return 1;
    case OutcomeKind::Livelock:
    case OutcomeKind::GoodSamaritan:
      return 2;
    case OutcomeKind::Misuse:
      return 3;
    case OutcomeKind::Race:
      return 4;
    default:
      return 0;
  }
}

}  // namespace

std::vector<BugsOfOneCause> by_cause(const std::vector<Bug>& bugs) {
  std::vector<const Bug*> sorted;
  sorted.reserve(bugs.size());
  for (const Bug& bug : bugs) sorted.push_back(&bug);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Bug* one, const Bug* other) {
    return rank_of(one->outcome.kind) < rank_of(other->outcome.kind);
  });
  std::vector<BugsOfOneCause> result;
  for (const Bug* const bug : sorted) {
    const auto same = std::find_if(result.begin(), result.end(), [&](const BugsOfOneCause& one) {
      return !bug->key.empty() && one.first->key == bug->key;
    });
    if (same == result.end())
      result.push_back({bug, {}});
    else
      same->others.push_back(bug);
  }
  return result;
}

}  // namespace heddle

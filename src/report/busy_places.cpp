// See busy_places.h.
#include "report/busy_places.h"

#include <fmt/format.h>

#include "analysis/switch_places.h"
#include "trace/module_names.h"

namespace heddle {

namespace {

std::string scope_of(const Frame& frame) {
  const bool simple = frame.function.find_first_of(" ,*?[") == std::string::npos;  // a lambda has no name to be given
  if (!frame.function.empty() && simple) return "function:" + frame.function;
  if (!frame.file.empty()) return fmt::format("file:{}", file_name(frame.file));
  return frame.module.empty() ? "" : fmt::format("library:{}", file_name(frame.module));
}

// To let others go first that have yielded, or were woken just now. --no-preempt says nothing of it.
bool costs_nothing(OperationKind kind) { return yields(kind) || kind == OperationKind::FutexWoken; }

}  // namespace

std::vector<BusyPlace> describe(const SwitchPlaces& places, std::size_t count, Names& names) {
  std::vector<BusyPlace> result;
  for (const SwitchPlace& place : places.worst(count)) {
    BusyPlace busy;
    busy.what = name(place.operation);
    busy.yields = costs_nothing(place.operation);
    // Only names of variables: numbers of objects mean nothing without a schedule beside them.
    const ObjectId object = names.object_at(object_kind(place.operation), place.address);
    if (names.knows_object_by_name(object)) busy.what += " of " + names.object(object).text;
    // Names take a site for the address behind a call; where a thread starts there is none.
    const Site site = place.operation == OperationKind::ThreadStart ? place.site + 1 : place.site;
    if (place.site != 0) {
      const Location location = names.places().of_site(site);
      busy.where = names.places().name(location).text;
      if (!busy.yields) busy.scope = scope_of(location.frame);
    }
    busy.share = static_cast<double>(place.schedules) / static_cast<double>(places.schedules());
    result.push_back(busy);
  }
  return result;
}

}  // namespace heddle

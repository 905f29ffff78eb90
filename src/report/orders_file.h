// Orders of statements as a file: what good runs have shown, for the next run of the same tests (--orders), and for
// `heddle orders`. A statement is called by its function and the text of its line, so it is the same statement when the
// lines before it change.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "search/orders.h"

namespace heddle {

class OrdersFile {
 public:
  // (the earlier statement, the later one)
  using Pair = std::pair<std::string, std::string>;

  // By how many functions on the call stack its statements are told apart: as it was set for a new file, or was read.
  void set_context(unsigned functions) { context_ = functions; }
  unsigned context() const { return context_; }
  // Empty, or what is wrong with the file. A file that is not there is one without orders.
  std::string read(const std::string& path);
  // Adds what an execution's places say. `name`: the statement at a place.
  void add(const StatementOrders& orders, const std::function<std::string(Site)>& name);
  // Empty, or why it could not be written.
  std::string write(const std::string& path) const;

  bool has_seen(const std::string& earlier, const std::string& later) const { return seen_.contains({earlier, later}); }
  bool empty() const { return seen_.empty() && possible_.empty(); }
  const std::set<Pair>& seen() const { return seen_; }
  // Of statements of two threads that touch one thing, both ways, whether they were seen or not.
  const std::set<Pair>& possible() const { return possible_; }
  bool names(const std::string& statement) const { return statements_.contains(statement); }

 private:
  void add(bool seen, Pair pair);
  unsigned context_ = 1;
  std::set<Pair> seen_, possible_;
  std::set<std::string> statements_;
};

}  // namespace heddle

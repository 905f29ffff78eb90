// Shares the plans of a search out among its parts: whose turn it is.
//
// A part that draws is a walk. First the main part gets some plans, for bugs that need next to nothing: what it finds
// is easy to read. Then some walks run, each kind in turn. Then, in the first schedules, each part gets plans by its
// share. Later what is shared out is steps, since a plan of one part may cost ten times as much as a plan of another,
// and the main part has two thirds of them. In both phases a share is multiplied by what the part has brought lately,
// compared with the others. The factor has limits, so no part starves.
//
// All of it follows from the calls and their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle {

class Turns {
 public:
  struct Share {
    double of_plans = 0;
    bool is_walk = false;
  };
  // `main`: the number of the main part. There must be a walk.
  Turns(const std::vector<Share>& shares, std::size_t main);

  // Is it the main part's turn, and nobody else's, even if it has to wait for results?
  bool is_mains_alone() const;
  // Are plans shared out, and not yet steps?
  bool is_early() const;
  // Whose turn it is.
  std::size_t present();
  // The present part has given a plan; or it has none now, and it is the turn of another that does not wait.
  void took();
  void pass();
  void nobody_waits();
  // It will give no plan any more.
  void end(std::size_t part) { parts_[part].over = true; }
  void reopen(std::size_t part) { parts_[part].over = false; }
  // It gets a quarter of all at least, until it does not need it any more.
  void favour(std::size_t part, bool needs_it) { parts_[part].is_favoured = needs_it; }
  bool is_over(std::size_t part) const { return parts_[part].over; }
  // A plan of the part has run so many steps, and brought something that is new, or not.
  void brought(std::size_t part, std::uint64_t steps, bool is_new);
  // Plans of all parts.
  std::uint64_t run() const { return run_; }
  // The parts begin anew. What they have brought still counts.
  void begin_anew();

  template <typename Self, typename Archive>
  static void transfer(Self& self, Archive& archive) {
    archive(self.parts_, self.turn_, self.left_, self.given_to_main_, self.warmed_up_, self.run_, self.was_early_);
  }

 private:
  struct Part {
    double share = 0;
    bool is_walk = false;
    bool over = false;
    bool is_favoured = false;
    bool waits = false;                    // for results
    double credit = 0;                     // plans, later steps, that it may have before others
    double news = 0, runs = 0, steps = 0;  // lately
  };
  double cost_of(const Part& part) const;
  std::vector<double> weights() const;
  void choose();

  std::vector<Part> parts_;
  std::size_t main_;
  std::size_t turn_ = 0;
  std::uint64_t left_ = 0;           // plans of the present slice
  std::uint64_t given_to_main_ = 0;  // at first
  std::uint64_t warmed_up_ = 0;      // walks that were handed out at first
  std::uint64_t run_ = 0;            // schedules
  bool was_early_ = true;
};

}  // namespace heddle

// Watches a run: shows progress, and keeps every bug on disk the moment it is found, so that nothing is lost when the
// run is interrupted later.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "cli/output_folder.h"
#include "cli/point_lines.h"
#include "cli/settings.h"
#include "cli/terminal.h"
#include "driver/explore/explore.h"
#include "report/page_writers.h"

namespace heddle::cli {

class RunObserver : public Observer {
 public:
  RunObserver(const Target& target, const Settings& settings, Terminal& terminal);

  void on_progress(const Progress& progress) override;
  void on_note(const std::string& note) override;
  void on_bug(const Discovery& discovery) override;
  void on_output(std::string_view output) override;
  std::string output_folder() const override { return folder_.made() ? folder_.path() : std::string(); }
  // Bugs go where the search that is resumed has put its own.
  void take_over_folder(const std::string& path) { folder_.take_over(path); }

  // A repair of a bug that was kept has been found, or not (Bug::repair): its trace and its pages say so from now on.
  void keep_repair(const Bug& bug);

  // These are reported already: one of them that comes again is left out (left_out_erased()), and the others are
  // numbered behind them.
  void come_behind(const std::vector<Bug>& reported);

  const OutputFolder& folder() const { return folder_; }
  // Why something could not be kept; empty when all was.
  const std::string& keeping_problem() const { return keeping_problem_; }
  // The pages of bugs that could not be kept: they are printed instead.
  const std::vector<std::string>& unsaved_pages() const { return unsaved_pages_; }

 private:
  // Empty, or why it could not be kept.
  std::string keep(const Discovery& discovery, const std::vector<SourceLine>& places, Names& names);
  std::string keep_pages(const Bug& bug, Names& names) const;
  using Writer = std::string (*)(const Document& page, const PageLayout& layout);
  std::string page(const Bug& bug, Names& names, Writer write, Detail detail) const;

  const Target& target_;
  const Settings& settings_;
  Terminal& terminal_;
  OutputFolder folder_;
  PointLines point_lines_;
  std::vector<std::pair<std::string, std::string>> known_;  // keys and messages of those that are reported already
  int first_number_ = 0;                                    // so many numbers are given
  std::string keeping_problem_;
  std::vector<std::string> unsaved_pages_;
};

// Those that a run was not to report again have no number.
std::vector<Bug> left_out_erased(std::vector<Bug> bugs);

}  // namespace heddle::cli

// The files of a program on a farm: named by the coordinator with their digests, sent to the server, and found or
// fetched by workers.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "farm/broker.h"
#include "farm/messages.h"

namespace heddle::cli {

// A text says what is wrong.
using FarmFiles = std::variant<std::vector<farm::FarmFile>, std::string>;
// The program, and the shared libraries that the loader would load with it.
FarmFiles program_files(const std::string& program);
// Data files, as the user has named them: relative to this folder, with commas between them.
FarmFiles data_files(const std::string& names);

// The user's sources of these, as far as they can be read: so a bug has the same key wherever it is found
// (bug_cause.h). Where there are very many, not all.
std::vector<farm::FarmFile> source_files_of(const std::vector<farm::FarmFile>& program);

// Does it belong to the system? It does not travel: each machine must have the same.
bool is_of_system(const farm::FarmFile& file);
// Those that travel. Empty, or what went wrong.
std::string send_files(const farm::Job& job, farm::Broker& broker);

// What belongs to the coordinator's program, or its folder, with its path there.
std::string with_path(std::string text, const std::string& here, const std::string& there);
// In the folder of a shard: a file that belongs to its result.
std::string sent_file(const std::string& folder, const std::string& digest);

// Where a worker has what a job needs.
struct FarmPlace {
  std::string program;
  std::string libraries;           // a folder; empty: each library lies where the coordinator has it
  std::string work;                // the folder in which the program is to start; empty: this one
  std::vector<std::string> files;  // the program and what is not the system's of its libraries
  std::string sources;             // a folder with copies of sources (SourceText::look_below()); empty: there are none
};
// What lies where the coordinator has it, with the same digest, is used. The rest is fetched into `cache`. A text says
// why this machine can't run the job.
std::variant<FarmPlace, std::string> fetch_files(const farm::Job& job, farm::Broker& broker, const std::string& cache);

}  // namespace heddle::cli

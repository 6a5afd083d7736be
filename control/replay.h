// `sojourn replay`: what sojourn would do with a capture, in virtual time, without root, NIC or DPDK.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace sojourn {

struct ReplayOptions {
  std::string config;
  std::string wire;  // empty: the only one
  std::string direction = "egress";
  std::string in;
  std::string out;    // empty: none
  std::string trace;  // empty: none
  std::optional<uint64_t> seed;
  bool as_json = false;
};

inline constexpr int kExitDamaged = 3;  // the capture is damaged; what was readable has been replayed

// Adds the subcommand; `exit_code` is set when it has run.
void add_replay(CLI::App& app, int& exit_code);

// The report goes to `out`, everything else to `err`.
int run_replay(const ReplayOptions& options, std::ostream& out, std::ostream& err);

}  // namespace sojourn

// A whole trial of product beside model, for those who need to know neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/sched/model/rules.h"

namespace sojourn::model {

// Where a trial starts, drawn from one number.
struct Opening {
  Setting setting;
  uint64_t start_ns = 0;
  std::vector<uint64_t> hashes;  // of the flows that send; few sets, so that they overflow
  uint32_t most_frame_bytes = 1514;
  static Opening draw(uint64_t number);
};

struct Outcome {
  std::optional<std::string> difference;
  size_t operations = 0;  // done, the differing one included
  uint64_t packets = 0;
};

// Runs a whole trial.
Outcome run(const Opening& opening, std::span<const uint64_t> operations);
// The operations, one a line, up to and with the one at which the two differ.
std::string describe(const Opening& opening, std::span<const uint64_t> operations);

}  // namespace sojourn::model

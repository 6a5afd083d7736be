// Makes a failing trial short.
#pragma once

#include <utility>

#include "tests/sched/model/outcome.h"

namespace sojourn::model {

// Leaves out whatever can be left out while product and model still differ, halves first, single operations last.
inline std::vector<uint64_t> shorten(const Opening& opening, std::span<const uint64_t> operations) {
  std::vector<uint64_t> kept(operations.begin(), operations.end());
  for (size_t chunk = kept.size() / 2; chunk != 0; chunk /= 2) {
    for (size_t at = 0; at + chunk <= kept.size();) {
      std::vector<uint64_t> fewer(kept.begin(), kept.begin() + static_cast<long>(at));
      fewer.insert(fewer.end(), kept.begin() + static_cast<long>(at + chunk), kept.end());
      const Outcome outcome = run(opening, fewer);
      if (outcome.difference) {
        fewer.resize(outcome.operations);
        kept = std::move(fewer);
      } else {
        at += chunk;
      }
    }
  }
  return kept;
}

}  // namespace sojourn::model

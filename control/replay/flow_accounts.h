// What each flow of a replay got, in fixed memory: exact while there are no more flows than accounts; beyond, the
// largest flows keep theirs and the smallest make room.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "control/replay/virtual_direction.h"
#include "sched/histogram.h"

namespace sojourn {

struct FlowAccount {
  FlowKey key;
  Tally received, sent;
  uint64_t bulk_bytes = 0;  // sent while its queue was on the old list
  uint64_t dropped_packets = 0;
  uint64_t marked_packets = 0;
  uint64_t number = 0;  // of its first frame, from 1: ends ties

  // Bulk: most of what it sent left from the old list.
  bool is_bulk() const { return 2 * bulk_bytes > sent.bytes; }
  // Of its sent packets: [0, 1] -> sojourn.
  Duration sojourn_quantile(double fraction) const;

 private:
  friend class FlowAccounts;
  void record(Duration sojourn);

  Duration first_sojourn_;  // a histogram is made for the second packet: most flows of a flood have one
  std::unique_ptr<Histogram> sojourn_;
};

class FlowAccounts {
 public:
  FlowAccounts();

  void add(const Departure& departure);

  // By bytes sent, largest first, at most `count`.
  std::vector<const FlowAccount*> largest(size_t count) const;
  // Jain's index of the bytes that the bulk flows sent; nothing when there is none.
  std::optional<double> jain_index_of_bulk() const;
  size_t bulk_flows() const;
  size_t flows() const { return flows_; }        // that have an account
  uint64_t evicted() const { return evicted_; }  // accounts that were given to another flow: 0 means all is exact

 private:
  static constexpr size_t kSets = 1024, kWays = 8;
  struct Set {
    std::array<uint64_t, kWays> hash{};  // beside the accounts, so that finding one touches a single line
    std::array<FlowAccount, kWays> account;
  };
  FlowAccount& account_of(const Passage& passage);
  FlowAccount& open_account(Set& set, const Passage& passage);

  std::vector<Set> sets_;
  size_t flows_ = 0;
  uint64_t evicted_ = 0;
};

}  // namespace sojourn

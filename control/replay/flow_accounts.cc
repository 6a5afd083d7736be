#include "control/replay/flow_accounts.h"

#include <algorithm>

#include "control/jain_index.h"

namespace sojourn {

void FlowAccount::record(Duration sojourn) {
  if (sent.packets == 1) {
    first_sojourn_ = sojourn;
    return;
  }
  if (!sojourn_) {
    sojourn_ = std::make_unique<Histogram>();
    sojourn_->record(first_sojourn_);
  }
  sojourn_->record(sojourn);
}

Duration FlowAccount::sojourn_quantile(double fraction) const {
  return sojourn_ ? sojourn_->quantile(fraction) : first_sojourn_;
}

FlowAccounts::FlowAccounts() : sets_(kSets) {}

FlowAccount& FlowAccounts::account_of(const Passage& passage) {
  Set& set = sets_[(passage.flow_hash >> 32) % kSets];
  for (size_t way = 0; way < kWays; ++way) {
    if (set.hash[way] == passage.flow_hash && set.account[way].number != 0) return set.account[way];
  }
  return open_account(set, passage);
}

// In the place of the set's smallest.
FlowAccount& FlowAccounts::open_account(Set& set, const Passage& passage) {
  const auto is_smaller = [](const FlowAccount& a, const FlowAccount& b) {
    return a.received.bytes < b.received.bytes;
  };
  const auto smallest = std::min_element(set.account.begin(), set.account.end(), is_smaller);
  ++(smallest->number == 0 ? flows_ : evicted_);
  *smallest = FlowAccount{};
  smallest->key = passage.key;
  smallest->number = passage.number;
  set.hash[static_cast<size_t>(smallest - set.account.begin())] = passage.flow_hash;
  return *smallest;
}

void FlowAccounts::add(const Departure& d) {
  FlowAccount& account = account_of(d.passage);
  account.received.add(d.passage.length);
  account.marked_packets += d.passage.mark == EcnMark::kMarked;
  if (d.fate != Fate::kSent) {
    ++account.dropped_packets;
    return;
  }
  account.sent.add(d.passage.length);
  if (d.list == FlowList::kOld) account.bulk_bytes += d.passage.length;
  account.record(d.time - d.passage.arrival);
}

std::vector<const FlowAccount*> FlowAccounts::largest(size_t count) const {
  std::vector<const FlowAccount*> all;
  for (const Set& set : sets_) {
    for (const FlowAccount& account : set.account) {
      if (account.number != 0) all.push_back(&account);
    }
  }
  const auto is_larger = [](const FlowAccount* a, const FlowAccount* b) {
    return a->sent.bytes != b->sent.bytes ? a->sent.bytes > b->sent.bytes : a->number < b->number;
  };
  std::sort(all.begin(), all.end(), is_larger);
  all.resize(std::min(count, all.size()));
  return all;
}

size_t FlowAccounts::bulk_flows() const {
  size_t count = 0;
  for (const Set& set : sets_) {
    for (const FlowAccount& account : set.account) count += account.is_bulk();
  }
  return count;
}

std::optional<double> FlowAccounts::jain_index_of_bulk() const {
  std::vector<double> bytes;
  for (const Set& set : sets_) {
    for (const FlowAccount& account : set.account) {
      if (account.is_bulk()) bytes.push_back(static_cast<double>(account.sent.bytes));
    }
  }
  return bytes.empty() ? std::nullopt : std::optional(jain_index(bytes));
}

}  // namespace sojourn

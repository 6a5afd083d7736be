// What a TCP sender has sent and not yet accounted for, by number of transmission; and which segments have arrived.
// A ring that doubles.
#pragma once

#include <cstdint>
#include <vector>

namespace sojourn::sim {

template <typename T>
class NumberedRing {
 public:
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  bool contains(uint64_t number) const { return number >= begin_ && number < end_; }
  T& operator[](uint64_t number) { return entries_[number & (entries_.size() - 1)]; }
  const T& operator[](uint64_t number) const { return entries_[number & (entries_.size() - 1)]; }

  void push_back(const T& entry) {
    if (end_ - begin_ == entries_.size()) grow();
    entries_[end_++ & (entries_.size() - 1)] = entry;
  }
  void pop_front() { ++begin_; }

 private:
  void grow() {
    std::vector<T> larger(entries_.empty() ? 64 : entries_.size() * 2);
    for (uint64_t i = begin_; i != end_; ++i) larger[i & (larger.size() - 1)] = (*this)[i];
    entries_.swap(larger);
  }
  std::vector<T> entries_;
  uint64_t begin_ = 0, end_ = 0;
};

struct Transmission {
  uint64_t segment = 0;
  bool is_acked = false;
};

}  // namespace sojourn::sim

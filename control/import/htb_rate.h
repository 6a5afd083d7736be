// What HTB's classes let through.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/import/options.h"
#include "control/import/tc_object.h"

namespace sojourn::imports {

struct HtbClass {
  const TcObject* object = nullptr;
  BitsPerSecond rate = {}, ceil = {};
  std::optional<uint64_t> burst_bytes = {}, ceil_burst_bytes = {};
  int64_t overhead_bytes = 0;
};

// A rate and whose it is.
struct HtbRate {
  BitsPerSecond rate;
  std::optional<uint64_t> burst_bytes;
  const HtbClass* of = nullptr;
};

class HtbClasses {
 public:
  void add(const HtbClass& one) { all_.push_back(one); }
  bool is_empty() const { return all_.empty(); }

  std::vector<const HtbClass*> leaves() const;
  // A class without a parent has nobody to borrow from and sends at its rate; below one, a class borrows what its
  // parent has, up to its ceil. Absent: a class is below itself, which is refused.
  std::optional<HtbRate> of_leaf(const HtbClass& leaf, Findings& findings) const;
  // Of those without a parent, together.
  HtbRate of_all() const;
  // Of each class, what it was told beside what is in force.
  void say_unused(const HtbRate& in_force, Findings& findings) const;

 private:
  const HtbClass* parent_of(const HtbClass& one) const;

  std::vector<HtbClass> all_;
};

}  // namespace sojourn::imports

#include "control/import/htb_rate.h"

#include <algorithm>
#include <set>

namespace sojourn::imports {

std::vector<const HtbClass*> HtbClasses::leaves() const {
  std::set<std::string> parents;
  for (const HtbClass& c : all_) parents.insert(c.object->parent);
  std::vector<const HtbClass*> out;
  for (const HtbClass& c : all_)
    if (!parents.contains(c.object->handle)) out.push_back(&c);
  return out;
}

const HtbClass* HtbClasses::parent_of(const HtbClass& one) const {
  const auto found =
      std::ranges::find_if(all_, [&](const HtbClass& c) { return c.object->handle == one.object->parent; });
  return found == all_.end() ? nullptr : &*found;
}

std::optional<HtbRate> HtbClasses::of_leaf(const HtbClass& leaf, Findings& findings) const {
  std::vector<const HtbClass*> path{&leaf};
  while (const HtbClass* parent = parent_of(*path.back())) {
    if (path.size() > all_.size()) {
      findings.refuse(leaf.object->line,
                      "class " + leaf.object->handle + " is below classes that are below themselves");
      return std::nullopt;
    }
    path.push_back(parent);
  }
  HtbRate out{path.back()->rate, path.back()->burst_bytes, path.back()};
  if (path.back()->ceil > out.rate)
    findings.note(path.back()->object->line, "class " + path.back()->object->handle + ": ceil " +
                                                 format_rate(path.back()->ceil) +
                                                 " is out of reach, as it has no parent to borrow from");
  for (auto at = path.rbegin() + 1; at != path.rend(); ++at) {
    const HtbClass& c = **at;
    if (c.rate >= out.rate) out = {c.rate, c.burst_bytes, &c};
    if (c.ceil < out.rate) out = {c.ceil, c.ceil_burst_bytes, &c};
  }
  return out;
}

HtbRate HtbClasses::of_all() const {
  HtbRate out{{}, {}, nullptr};
  for (const HtbClass& c : all_) {
    if (parent_of(c) != nullptr) continue;
    out.rate.value += std::min(c.rate.value, UINT64_MAX / 2 - out.rate.value);
    if (out.of == nullptr) out.of = &c;
    if (c.burst_bytes) out.burst_bytes = std::max(out.burst_bytes.value_or(0), *c.burst_bytes);
  }
  return out;
}

void HtbClasses::say_unused(const HtbRate& in_force, Findings& findings) const {
  for (const HtbClass& c : all_)
    for (const auto& [word, bytes] : {std::pair{"burst ", c.burst_bytes}, std::pair{"cburst ", c.ceil_burst_bytes}})
      if (bytes && bytes != in_force.burst_bytes)
        findings.note(c.object->line, "class " + c.object->handle + ": " + word + format_size(*bytes) +
                                          " is not what holds the rate in force");
}

}  // namespace sojourn::imports

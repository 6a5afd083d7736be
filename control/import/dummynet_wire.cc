// Which limiter is which direction.
#include <algorithm>
#include <cctype>
#include <map>

#include "config/key.h"
#include "config/nearest.h"
#include "control/import/dummynet.h"
#include "control/import/dummynet_limiter.h"

namespace sojourn::imports {
namespace {

enum class Side { kUnknown, kEgress, kIngress };

// "WANDown_2" -> wan, down, 2
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> out{""};
  for (size_t i = 0; i < name.size(); ++i) {
    const auto at = [&](size_t j) { return j < name.size() ? static_cast<unsigned char>(name[j]) : 0; };
    const bool begins = std::isupper(at(i)) && i > 0 && (std::islower(at(i - 1)) || std::islower(at(i + 1)));
    if (!std::isalpha(at(i)) || begins) out.emplace_back();
    if (std::isalpha(at(i))) out.back() += static_cast<char>(std::tolower(at(i)));
  }
  return out;
}

Side side_of_name(const std::string& name) {
  static const std::vector<std::string> kUp = {"up",       "upload", "uplink", "upstream", "out",
                                               "outbound", "egress", "ul",     "uploads"};
  static const std::vector<std::string> kDown = {"down",    "download", "downlink", "downstream", "in",
                                                 "inbound", "ingress",  "dl",       "downloads"};
  for (const std::string& part : parts_of(name)) {
    if (std::ranges::find(kUp, part) != kUp.end()) return Side::kEgress;
    if (std::ranges::find(kDown, part) != kDown.end()) return Side::kIngress;
  }
  return Side::kUnknown;
}

struct Candidate {
  const DummynetObject* pipe = nullptr;
  std::vector<const DummynetObject*> parts;  // itself, schedulers, queues
  std::string name;
  Side side = Side::kUnknown;
};

// The number behind `pipe`, `sched` or `link`, 0 when there is none.
uint32_t belongs_to(const DummynetObject& object) {
  uint32_t number = 0;
  for (const Words& words : object.passes)
    for (size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i].text == "pipe" || words[i].text == "sched" || words[i].text == "link")
        number = static_cast<uint32_t>(std::strtoul(words[i + 1].text.c_str(), nullptr, 10));
  return number;
}

class Choice {
 public:
  Choice(const Dummynet& objects, const Ends& ends, Findings& findings)
      : objects_(objects), ends_(ends), findings_(findings) {}

  Wire make() {
    collect();
    if (candidates_.empty() && !findings_.is_refused())
      findings_.refuse(0, "holds no pipe; write for example \"pipe 1 config bw 40Mbit/s\"");
    if (findings_.is_refused()) return {};
    by_options();
    by_name();
    by_rules();
    by_order();
    Wire wire{ends_.inside, ends_.outside, {}, {}};
    for (const Candidate& c : candidates_) put(wire, c);
    return wire;
  }

 private:
  void collect() {
    std::map<uint32_t, uint32_t> pipe_of_sched;
    for (const DummynetObject& o : objects_.objects) {
      if (o.kind != DummynetKind::kPipe) continue;
      candidates_.push_back({&o, {&o}, o.name.empty() ? "pipe " + std::to_string(o.number) : o.name});
    }
    for (const DummynetObject& o : objects_.objects) {
      if (o.kind != DummynetKind::kSched) continue;
      const uint32_t pipe = belongs_to(o);
      pipe_of_sched[o.number] = pipe == 0 ? o.number : pipe;
      attach(o, pipe_of_sched[o.number]);
    }
    for (const DummynetObject& o : objects_.objects) {
      if (o.kind != DummynetKind::kQueue) continue;
      const uint32_t number = belongs_to(o);
      attach(o, pipe_of_sched.contains(number) ? pipe_of_sched[number] : number);
    }
  }

  Candidate* of_number(uint32_t pipe) {
    const auto found = std::ranges::find_if(candidates_, [&](const Candidate& c) { return c.pipe->number == pipe; });
    return found == candidates_.end() ? nullptr : &*found;
  }

  void attach(const DummynetObject& object, uint32_t pipe) {
    if (Candidate* candidate = of_number(pipe)) return candidate->parts.push_back(&object);
    const char* what = object.kind == DummynetKind::kQueue ? "queue " : "sched ";
    findings_.refuse(object.line, what + std::to_string(object.number) + " belongs to pipe " + std::to_string(pipe) +
                                      ", which is not in the input");
  }

  void by_options() {
    by_option(ends_.egress, Side::kEgress);
    by_option(ends_.ingress, Side::kIngress);
  }

  void by_option(const std::string& wanted, Side side) {
    if (wanted.empty()) return;
    const auto is_meant = [&](const Candidate& c) {
      const bool has_queue = std::ranges::any_of(c.parts, [&](const DummynetObject* o) { return o->name == wanted; });
      return c.name == wanted || has_queue || std::to_string(c.pipe->number) == wanted;
    };
    const auto found = std::ranges::find_if(candidates_, is_meant);
    if (found != candidates_.end()) {
      found->side = side;
      return;
    }
    std::vector<std::string> known;
    for (const Candidate& c : candidates_)
      known.push_back(c.pipe->name.empty() ? std::to_string(c.pipe->number) : c.name);
    findings_.refuse(0, "there is no limiter " + quote(wanted) + suggestion(wanted, known));
  }

  bool is_taken(Side side) const {
    return std::ranges::any_of(candidates_, [&](const Candidate& c) { return c.side == side; });
  }

  void take(Candidate& c, Side side, const std::string& why) {
    if (c.side != Side::kUnknown || side == Side::kUnknown || is_taken(side)) return;
    c.side = side;
    const char* option = side == Side::kEgress ? "egress" : "ingress";
    findings_.note(c.pipe->line,
                   c.name + " is taken for `" + option + "` " + why + "; --" + option + " NAME says otherwise");
  }

  void by_name() {
    for (Candidate& c : candidates_) {
      Side side = side_of_name(c.pipe->name);
      for (const DummynetObject* part : c.parts)
        if (side == Side::kUnknown) side = side_of_name(part->name);
      take(c, side, "by its name");
    }
  }

  void by_rules() {
    for (const Steering& rule : objects_.rules) {
      if (rule.is_in == rule.is_out) continue;
      for (Candidate& c : candidates_) {
        const bool is_meant = std::ranges::any_of(
            c.parts, [&](const DummynetObject* o) { return o->kind == rule.kind && o->number == rule.number; });
        if (is_meant)
          take(c, rule.is_out ? Side::kEgress : Side::kIngress, "by the rule of line " + std::to_string(rule.line));
      }
    }
  }

  void by_order() {
    for (Candidate& c : candidates_) {
      take(c, Side::kEgress, "as nothing says what it is");
      take(c, Side::kIngress, "as nothing says what it is");
    }
  }

  void put(Wire& wire, const Candidate& c) {
    if (c.side == Side::kUnknown)
      return findings_.lost(c.pipe->line, c.name +
                                              ": a wire has two directions, which are taken; --egress and --ingress "
                                              "choose others");
    auto& direction = c.side == Side::kEgress ? wire.egress : wire.ingress;
    direction = shape_of(c.parts, c.name, findings_);
  }

  const Dummynet& objects_;
  const Ends& ends_;
  Findings& findings_;
  std::vector<Candidate> candidates_;
};

}  // namespace

Wire wire_of(const Dummynet& objects, const Ends& ends, Findings& findings) {
  return Choice(objects, ends, findings).make();
}

}  // namespace sojourn::imports

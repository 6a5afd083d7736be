#include <algorithm>
#include <array>

#include "config/key.h"
#include "config/nearest.h"
#include "control/import/tc_object.h"
#include "control/import/tc_qdisc.h"

namespace sojourn::imports {
namespace {

// What tc knows and has no equivalent here.
constexpr std::array kOtherKinds = {
    "sfq",  "fq",  "red",    "gred",    "sfb",  "choke",  "prio",    "pfifo_fast", "pfifo_head_drop",
    "hfsc", "drr", "qfq",    "ets",     "hhf",  "netem",  "mqprio",  "taprio",     "etf",
    "cbs",  "cbq", "multiq", "skbprio", "plug", "dsmark", "dualpi2", "blackhole",  "atm",
    "teql0"};
constexpr std::array kKinds = {"cake", "cake_mq", "fq_codel", "codel", "pie",     "fq_pie",  "tbf",
                               "htb",  "pfifo",   "bfifo",    "mq",    "noqueue", "ingress", "clsact"};

// Commands that stand beside tc's in scripts.
constexpr std::array kOtherCommands = {"ip",   "modprobe", "ethtool",  "iptables", "ip6tables", "nft",   "sysctl",
                                       "echo", "sleep",    "ifconfig", "export",   "insmod",    "bridge"};

template <typename List>
bool is_one_of(const std::string& word, const List& list) {
  return std::ranges::find(list, word) != list.end();
}

class Command {
 public:
  Command(const Words& words, TcObjects& out, Findings& findings) : words_(words), out_(out), findings_(findings) {}

  void read() {
    object_.line = words_[0].line;
    const std::string& first = words_[0].text;
    if (is_one_of(first, kKinds) || is_one_of(first, kOtherKinds)) return read_bare();
    if (first == "tc") {
      at_ = 1;
      skip_flags();
    }
    if (done()) return refuse("tc does nothing by itself; write \"tc qdisc add ...\"");
    const Word& what = words_[at_++];
    if (what.text == "qdisc") return read_object();
    if (what.text == "class") return object_.is_class = true, read_object();
    if (what.text == "filter") return read_filter();
    --at_;
    read_other();
  }

 private:
  bool done() const { return at_ >= words_.size(); }
  void refuse(const std::string& why) { findings_.refuse(words_[0].line, why); }

  // Fragments, as they stand in the options of sqm-scripts and in people's notes.
  void read_bare() {
    object_.parent = "root";
    read_kind(false);
  }

  void skip_flags() {
    for (; !done() && words_[at_].text.starts_with('-'); ++at_) {
      const std::string& flag = words_[at_].text;
      if (flag == "-n" || flag == "-netns") ++at_;
      if (flag == "-b" || flag == "-batch") refuse("read the batch file itself: sojourn import tc FILE");
    }
  }

  void read_other() {
    const std::string& first = words_[at_].text;
    if (at_ == 0 && (first == "true" || first == ":" || first == "exit" || first == "set")) return;
    if (at_ == 0 && is_one_of(first, kOtherCommands))
      return findings_.lost(words_[0].line, "command " + quote(joined(words_)) + " is none of tc's");
    if (at_ != 0 && (first == "action" || first == "actions" || first == "chain" || first == "monitor"))
      return findings_.lost(words_[0].line, "command " + quote(joined(words_)) + ": only qdiscs and classes are read");
    static const std::vector<std::string> kFirst = {"tc", "qdisc", "class", "filter"};
    refuse(quote(first) + (at_ == 0 ? " is no command of tc's" : " is no object of tc's") + suggestion(first, kFirst));
  }

  void read_object() {
    static const std::vector<std::string> kVerbs = {"add", "replace", "change", "link",
                                                    "del", "delete",  "show",   "list"};
    if (done()) return refuse("tc " + words_[at_ - 1].text + " needs a verb; known: add, replace, change, del");
    const std::string& verb = words_[at_++].text;
    if (!is_one_of(verb, kVerbs)) {
      const bool is_shown = is_one_of(verb, kKinds) || is_one_of(verb, kOtherKinds);
      return refuse(is_shown ? "this is what `tc qdisc show` prints; take what `tc -j qdisc show` prints"
                             : quote(verb) + " is no verb of tc's" + suggestion(verb, kVerbs));
    }
    if (verb == "show" || verb == "list") return findings_.note(object_.line, quote(joined(words_)) + " sets nothing");
    if (!read_place()) return;
    if (verb == "del" || verb == "delete") return out_.remove(object_);
    if (done() && object_.kind.empty()) return refuse("tc qdisc without a kind; write \"root fq_codel\"");
    read_kind(verb == "change" || verb == "link");
  }

  // dev, parent, handle and stab, in any order, up to the kind. False: refused.
  bool read_place() {
    while (!done()) {
      const Word& word = words_[at_];
      if (word.text == "root") object_.parent = "root";
      if (word.text == "ingress" || word.text == "clsact") object_.parent = "ingress", object_.kind = word.text;
      if (word.text == "root" || word.text == "ingress" || word.text == "clsact") {
        ++at_;
        continue;
      }
      if (word.text == "stab") {
        read_stab();
        continue;
      }
      std::string* field = field_of(word.text);
      if (field == nullptr) return true;
      if (at_ + 1 == words_.size()) return refuse("tc: " + quote(word.text) + " needs a value"), false;
      *field = words_[at_ + 1].text;
      if (field == &ignored_) findings_.lost(word.line, "tc: " + quote(word.text + ' ' + *field) + " is not of a wire");
      at_ += 2;
    }
    return true;
  }

  std::string* field_of(const std::string& word) {
    if (word == "dev") return &object_.device;
    if (word == "parent") return &object_.parent;
    if (word == "handle" || word == "classid") return &object_.handle;
    if (word == "ingress_block" || word == "egress_block") return &ignored_;
    return nullptr;
  }

  void read_stab() {
    const Options& options = stab_options();
    for (++at_; !done() && std::ranges::find(options, words_[at_].text, &Option::word) != options.end(); at_ += 2) {
      object_.stab.push_back(words_[at_]);
      if (at_ + 1 < words_.size()) object_.stab.push_back(words_[at_ + 1]);
    }
  }

  void read_kind(bool is_change) {
    if (object_.kind.empty()) object_.kind = words_[at_++].text;
    if (!is_one_of(object_.kind, kKinds) && !is_one_of(object_.kind, kOtherKinds)) {
      const std::vector<std::string> known(kKinds.begin(), kKinds.end());
      return refuse("there is no qdisc " + quote(object_.kind) + suggestion(object_.kind, known));
    }
    at_ = std::min(at_, words_.size());
    object_.passes.emplace_back(words_.begin() + static_cast<ptrdiff_t>(at_), words_.end());
    out_.put(std::move(object_), is_change, findings_);
  }

  // Only where arrivals are redirected to is of use: that interface's qdisc shapes the other direction.
  void read_filter() {
    std::string device, target;
    for (size_t i = at_; i + 1 < words_.size(); ++i) {
      if (words_[i].text != "dev") continue;
      const bool is_target = i > 0 && words_[i - 1].text == "redirect";
      (is_target ? target : device) = words_[i + 1].text;
    }
    if (target.empty() || device.empty())
      return findings_.lost(object_.line, quote(joined(words_)) + ": filters choose classes; there is one a direction");
    findings_.note(object_.line,
                   "what arrives at " + device + " is redirected to " + target + ": its qdisc is `ingress`");
    out_.redirects[target] = device;
  }

  const Words& words_;
  TcObjects& out_;
  Findings& findings_;
  TcObject object_;
  std::string ignored_;
  size_t at_ = 0;
};

}  // namespace

void TcObjects::put(TcObject object, bool is_change, Findings& findings) {
  const auto same = std::ranges::find_if(all, [&](const TcObject& o) {
    const bool is_named = !o.handle.empty() && o.handle == object.handle;
    return o.is_class == object.is_class && o.device == object.device &&
           (object.is_class ? is_named : o.parent == object.parent || is_named);
  });
  constexpr size_t kMost = 4096;
  if (all.size() == kMost) return findings.refuse(object.line, "more than 4096 qdiscs and classes");
  if (same == all.end()) return all.push_back(std::move(object));
  if (is_change && same->kind == object.kind) return same->passes.push_back(std::move(object.passes[0]));
  findings.note(object.line, object.kind + " takes the place of what line " + std::to_string(same->line) + " set");
  *same = std::move(object);
}

void TcObjects::remove(const TcObject& object) {
  std::erase_if(all, [&](const TcObject& o) {
    if (o.device != object.device) return false;
    if (!object.handle.empty() && o.handle == object.handle) return true;
    return !object.is_class && (object.parent == "root" ? o.parent != "ingress" : o.parent == object.parent);
  });
}

void read_tc_command(const Words& command, TcObjects& out, Findings& findings) {
  Command(command, out, findings).read();
}

}  // namespace sojourn::imports

#include <algorithm>
#include <array>
#include <charconv>

#include "config/key.h"
#include "config/nearest.h"
#include "control/import/dummynet.h"

namespace sojourn::imports {
namespace {

constexpr std::array kOtherCommands = {"sysctl", "kldload", "echo", "ifconfig", "sleep", "pfctl", "service", "nvram"};
const std::vector<std::string> kObjects = {"pipe", "queue", "sched", "add"};

template <typename List>
bool is_one_of(const std::string& word, const List& list) {
  return std::ranges::find(list, word) != list.end();
}

std::optional<uint32_t> number_of(const std::string& text) {
  uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number == 0) return std::nullopt;
  return number;
}

std::optional<DummynetKind> kind_of(const std::string& word) {
  if (word == "pipe" || word == "link") return DummynetKind::kPipe;
  if (word == "queue" || word == "flowset") return DummynetKind::kQueue;
  if (word == "sched") return DummynetKind::kSched;
  return std::nullopt;
}

class Command {
 public:
  Command(const Words& words, Dummynet& out, Findings& findings) : words_(words), out_(out), findings_(findings) {}

  void read() {
    if (words_[0].text == "ipfw" || words_[0].text == "dnctl") {
      at_ = 1;
      while (!done() && words_[at_].text.starts_with('-')) ++at_;
      if (done()) return refuse("ipfw does nothing by itself; write \"ipfw pipe 1 config bw 40Mbit/s\"");
    }
    const std::string& what = words_[at_].text;
    if (const auto kind = kind_of(what)) return read_object(*kind);
    if (what == "add") return read_rule();
    read_other();
  }

 private:
  bool done() const { return at_ >= words_.size(); }
  void refuse(const std::string& why) { findings_.refuse(words_[0].line, why); }

  void read_other() {
    const std::string& first = words_[at_].text;
    static const std::vector<std::string> kNothing = {"flush", "delete", "del", "show", "list", "zero", "resetlog"};
    static const std::vector<std::string> kElse = {"table", "nat", "set", "enable", "disable", "nat64lsn", "nptv6"};
    if (at_ == 0 && (first == "true" || first == ":" || first == "exit")) return;
    if (is_one_of(first, kNothing)) return findings_.note(words_[0].line, quote(joined(words_)) + " sets no limit");
    if (is_one_of(first, kElse) || (at_ == 0 && is_one_of(first, kOtherCommands)))
      return findings_.lost(words_[0].line,
                            quote(joined(words_)) + ": only pipes, scheds, queues and what steers into them are read");
    refuse(quote(first) + " is nothing of dummynet's" + suggestion(first, kObjects));
  }

  void read_object(DummynetKind kind) {
    const std::string what = words_[at_++].text;
    if (done()) return refuse(what + " needs a number and \"config\"");
    static const std::vector<std::string> kNothing = {"flush", "delete", "show", "list"};
    if (is_one_of(words_[at_].text, kNothing))
      return findings_.note(words_[0].line, quote(joined(words_)) + " sets no limit");
    const auto number = number_of(words_[at_].text);
    if (!number) return refuse(what + " needs a number of at least 1, not " + quote(words_[at_].text));
    ++at_;
    if (done() || words_[at_].text != "config") {
      const std::string word = done() ? "" : words_[at_].text;
      if (word == "show" || word == "delete")
        return findings_.note(words_[0].line, quote(joined(words_)) + " sets no limit");
      return refuse(what + ' ' + std::to_string(*number) + " needs \"config\"" +
                    (word.empty() ? "" : ", not " + quote(word)));
    }
    DummynetObject object{kind, *number, {}, words_[0].line, {}};
    object.passes.emplace_back(words_.begin() + static_cast<ptrdiff_t>(at_) + 1, words_.end());
    out_.put(std::move(object), findings_);
  }

  // "add 100 pipe 1 ip from any to any out via em0"
  void read_rule() {
    const auto action = std::find_if(words_.begin() + static_cast<ptrdiff_t>(at_), words_.end(),
                                     [](const Word& w) { return w.text == "pipe" || w.text == "queue"; });
    const std::string rule = quote(joined(words_, at_));
    if (action == words_.end() || action + 1 == words_.end())
      return findings_.lost(words_[0].line, "rule " + rule + ": filters nothing and steers nothing here");
    const auto number = number_of(action[1].text);
    if (!number)
      return findings_.lost(words_[0].line, "rule " + rule + ": a limiter chosen by a table; there is one a direction");
    const Words body(action + 2, words_.end());
    Steering steering{*kind_of(action->text), *number, has(body, "out") || has(body, "xmit"),
                      has(body, "in") || has(body, "recv"), words_[0].line};
    is_for_all(body) ? findings_.note(words_[0].line, "rule " + rule + ": every frame of a direction passes its shaper")
                     : findings_.lost(words_[0].line, "rule " + rule +
                                                          ": not only what it matches, but every frame of a "
                                                          "direction passes its shaper");
    out_.steer(steering);
  }

  static bool has(const Words& words, const char* word) {
    return std::ranges::any_of(words, [&](const Word& w) { return w.text == word; });
  }

  // "ip from any to any" with nothing but a direction and an interface behind it.
  static bool is_for_all(const Words& body) {
    static const std::array kPlain = {"in", "out"};
    static const std::array kInterface = {"via", "xmit", "recv"};
    if (body.size() < 5 || (body[0].text != "ip" && body[0].text != "all")) return false;
    if (body[1].text != "from" || body[2].text != "any" || body[3].text != "to" || body[4].text != "any") return false;
    for (size_t i = 5; i < body.size(); ++i) {
      if (is_one_of(body[i].text, kInterface))
        ++i;
      else if (!is_one_of(body[i].text, kPlain))
        return body[i].text == "//";
    }
    return true;
  }

  const Words& words_;
  Dummynet& out_;
  Findings& findings_;
  size_t at_ = 0;
};

}  // namespace

void Dummynet::put(DummynetObject object, Findings& findings) {
  constexpr size_t kMost = 4096;
  const auto same = std::ranges::find_if(
      objects, [&](const DummynetObject& o) { return o.kind == object.kind && o.number == object.number; });
  if (same != objects.end()) return same->passes.push_back(std::move(object.passes[0]));
  if (objects.size() == kMost) return findings.refuse(object.line, "more than 4096 pipes, scheds and queues");
  objects.push_back(std::move(object));
}

void Dummynet::steer(const Steering& rule) {
  constexpr size_t kMost = 4096;  // what is beyond says no more of two directions
  if (rules.size() < kMost) rules.push_back(rule);
}

void read_dummynet_command(const Words& command, Dummynet& out, Findings& findings) {
  Command(command, out, findings).read();
}

}  // namespace sojourn::imports

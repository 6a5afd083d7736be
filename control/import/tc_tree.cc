#include "control/import/tc_tree.h"

#include <algorithm>
#include <array>
#include <set>

#include "config/key.h"
#include "control/import/htb_rate.h"
#include "control/import/tc_qdisc.h"

namespace sojourn::imports {
namespace {

bool is_ifb(const std::string& device) {
  return device.starts_with("ifb");
}

std::string name_of(const TcObject& object) {
  const std::string what = object.is_class ? "class " + object.handle : object.kind;
  return object.device.empty() ? what : what + " on " + object.device;
}

std::string major_of(const std::string& id) {
  return id.substr(0, id.find(':') + 1);
}

// The tree of one interface.
class Tree {
 public:
  Tree(const TcObjects& objects, const std::string& device, Findings& findings) : findings_(findings) {
    for (const TcObject& object : objects.all)
      if (object.device == device) all_.push_back(&object);
    shape_.origin = device;
  }

  // Whether there is anything to shape with.
  bool read(DeviceShape& out) {
    const TcObject* root = root_object();
    if (root == nullptr) return false;
    shape_.line = root->line;
    const bool is_shaping = read_root(*root);
    read_.insert(root);
    for (const TcObject* o : all_)
      if (!read_.contains(o) && o->parent != "ingress") lose_below(*o);
    if (!is_shaping) return false;
    shape_.origin = "tc: " + name_of(*root);
    out.shape = std::move(shape_);
    return true;
  }

 private:
  const TcObject* find(bool is_class, const std::string& parent) const {
    const auto found =
        std::ranges::find_if(all_, [&](const TcObject* o) { return o->is_class == is_class && o->parent == parent; });
    return found == all_.end() ? nullptr : *found;
  }

  const TcObject* root_object() {
    for (const TcObject* o : all_)
      if (o->parent == "ingress")
        findings_.note(o->line, name_of(*o) + " only receives; what its filters redirect to may shape");
    if (const TcObject* root = find(false, "root")) return root;
    const auto rest =
        std::ranges::find_if(all_, [](const TcObject* o) { return !o->is_class && o->parent != "ingress"; });
    if (rest != all_.end()) {
      findings_.note((*rest)->line,
                     name_of(**rest) + " hangs below " + (*rest)->parent + ", which is not in the input");
      return *rest;
    }
    const auto orphan = std::ranges::find_if(all_, [](const TcObject* o) { return o->is_class; });
    if (orphan != all_.end())
      findings_.refuse((*orphan)->line, name_of(**orphan) + " has no root qdisc; the line that adds it is missing");
    return nullptr;
  }

  bool read_root(const TcObject& root) {
    if (root.kind == "htb") return read_htb(root);
    if (root.kind == "mq") return read_mq(root);
    if (root.kind == "noqueue" || root.kind == "pfifo_fast") {
      findings_.note(root.line, name_of(root) + " shapes nothing");
      return false;
    }
    if (tc_qdisc_options(root.kind) == nullptr) return lose(root), false;
    if (const TcObject* child = root.kind == "tbf" ? child_of(root) : nullptr) {
      read_leaf(*child);
      findings_.note(root.line, "tbf: its own limit has no effect with " + child->kind + " in it");
      return read_tbf_around(root), true;
    }
    return read_leaf(root), true;
  }

  void lose(const TcObject& object) {
    read_.insert(&object);
    findings_.lost(object.line, "qdisc " +
                                    quote(object.kind + (object.passes.empty() ? "" : ' ' + joined(object.passes[0]))) +
                                    ": one queue for every flow, each with CoDel, is what there is");
  }

  void lose_below(const TcObject& object) {
    findings_.lost(object.line,
                   name_of(object) + ' ' + quote(joined(object.passes[0])) + ": is below what has no equivalent");
  }

  // By handle, or by the class that a tbf has of its own.
  const TcObject* child_of(const TcObject& object) const {
    const std::string id = object.handle.ends_with(':') ? object.handle : object.handle + ':';
    for (const std::string& parent : {object.handle, id, id + '1'})
      if (const TcObject* child = parent == ":" || parent.empty() ? nullptr : find(false, parent)) return child;
    return nullptr;
  }

  Reading reading_of(const TcObject& object) {
    Reading reading{.findings = findings_, .shape = shape_, .kind = object.is_class ? "htb class" : object.kind};
    reading.line = object.line;
    reading.has_no_ethernet = reading.counts_ip = has_no_ethernet(object.device);
    return reading;
  }

  void read_passes(const TcObject& object, const Options& options, Reading& reading) {
    read_.insert(&object);
    if (!object.stab.empty()) read_options(stab_options(), object.stab, 0, reading);
    for (const Words& words : object.passes) read_options(options, words, 0, reading);
  }

  // A qdisc that holds packets.
  void read_leaf(const TcObject& object) {
    const std::string kind = object.kind == "cake_mq" ? "cake" : object.kind;
    const Options* options = tc_qdisc_options(kind);
    if (options == nullptr) return lose(object);
    Reading reading = reading_of(object);
    reading.kind = kind;
    if (object.kind != kind)
      findings_.note(object.line, object.kind + " is cake over several queues; here one worker has one rate");
    set_tc_defaults(reading);
    read_passes(object, *options, reading);
    finish_tc_qdisc(reading);
    if (!object.stab.empty() && !shape_.has("overhead")) set_overhead(reading, object.line);
  }

  void read_tbf_around(const TcObject& tbf) {
    Reading reading = reading_of(tbf);
    read_passes(tbf, *tc_qdisc_options("tbf"), reading);
    reading.latency.reset();
    reading.limit_bytes.reset();
    finish_tc_qdisc(reading);
  }

  bool read_mq(const TcObject& root) {
    std::vector<const TcObject*> children;
    for (const TcObject* o : all_)
      if (o != &root && !o->is_class && o->parent != "ingress") children.push_back(o);
    if (children.empty()) {
      findings_.note(root.line, name_of(root) + " shapes nothing");
      return false;
    }
    const auto text = [](const TcObject* o) { return o->kind + ' ' + joined(o->passes[0]); };
    for (const TcObject* o : children)
      if (text(o) != text(children[0]))
        findings_.lost(o->line, name_of(*o) + " differs from the first queue's, which is read");
    read_.insert(children.begin(), children.end());
    findings_.note(root.line, "mq: each of " + std::to_string(children.size()) +
                                  " hardware queues has its own; here one stands for all, and its limits are of all");
    if (tc_qdisc_options(children[0]->kind) == nullptr) return lose(*children[0]), false;
    return read_leaf(*children[0]), true;
  }

  bool read_htb(const TcObject& root);
  void read_htb_without_classes(const TcObject& root);
  HtbClasses read_classes();
  void read_class_queue(const TcObject& object);
  const HtbClass* chosen_leaf(const TcObject& root, const std::vector<const HtbClass*>& leaves) const;
  void lose_classes(const std::vector<const HtbClass*>& leaves, const HtbClass* chosen, BitsPerSecond rate);

  Findings& findings_;
  std::vector<const TcObject*> all_;
  std::set<const TcObject*> read_;  // or said to have no equivalent
  Shape shape_;
};

// The class that unclassified packets go to, else the first.
const HtbClass* Tree::chosen_leaf(const TcObject& root, const std::vector<const HtbClass*>& leaves) const {
  for (const Words& words : root.passes)
    for (size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i].text != "default") continue;
      std::string minor = words[i + 1].text;
      if (minor.starts_with("0x")) minor.erase(0, 2);
      for (const HtbClass* leaf : leaves)
        if (leaf->object->handle == major_of(leaf->object->handle) + minor) return leaf;
    }
  return leaves[0];
}

HtbClasses Tree::read_classes() {
  HtbClasses out;
  for (const TcObject* o : all_) {
    if (!o->is_class || findings_.is_refused()) continue;
    Reading r = reading_of(*o);
    read_passes(*o, htb_class_options(), r);
    if (!r.rate && !findings_.is_refused())
      findings_.refuse(o->line, name_of(*o) + " has no rate; write \"htb rate 40mbit\"");
    if (r.rate)
      out.add({o, *r.rate, std::max(r.ceil.value_or(*r.rate), *r.rate), r.burst_bytes, r.ceil_burst_bytes,
               r.overhead_bytes});
  }
  return out;
}

// The queue of a class.
void Tree::read_class_queue(const TcObject& object) {
  if (const TcObject* qdisc = find(false, object.handle)) return read_leaf(*qdisc);
  findings_.note(object.line, name_of(object) + " has no qdisc: a plain queue of 1000 packets");
  Reading fifo = reading_of(object);
  fifo.kind = "pfifo";
  set_tc_defaults(fifo);
}

void Tree::lose_classes(const std::vector<const HtbClass*>& leaves, const HtbClass* chosen, BitsPerSecond rate) {
  for (const HtbClass* leaf : leaves)
    if (leaf != chosen)
      findings_.lost(leaf->object->line, name_of(*leaf->object) + ' ' + quote(joined(leaf->object->passes[0])) +
                                             ": there are no classes; all flows share " + format_rate(rate));
}

bool Tree::read_htb(const TcObject& root) {
  Reading reading = reading_of(root);
  read_passes(root, *tc_qdisc_options("htb"), reading);
  const HtbClasses classes = read_classes();
  if (findings_.is_refused()) return true;
  if (classes.is_empty()) return read_htb_without_classes(root), true;
  const auto leaves = classes.leaves();
  if (leaves.empty()) return findings_.refuse(root.line, "the classes of htb are below themselves"), true;
  const HtbClass* chosen = chosen_leaf(root, leaves);
  read_class_queue(*chosen->object);
  const auto in_force = leaves.size() == 1 ? classes.of_leaf(*chosen, findings_) : classes.of_all();
  if (!in_force || findings_.is_refused()) return true;
  if (in_force->of == nullptr) return findings_.refuse(root.line, "the classes of htb are below themselves"), true;
  if (leaves.size() > 1) lose_classes(leaves, chosen, in_force->rate);
  classes.say_unused(*in_force, findings_);
  const int line = in_force->of->object->line;
  reading.overhead_bytes += in_force->of->overhead_bytes;  // beside what `stab` adds
  set_rate(reading, line, in_force->rate, leaves.size() > 1 ? "of all classes together" : "");
  if (in_force->burst_bytes) set_burst(reading, line, *in_force->burst_bytes);
  set_overhead(reading, line);
  return true;
}

void Tree::read_htb_without_classes(const TcObject& root) {
  findings_.lost(root.line, name_of(root) +
                                ": the rate is of its classes, which are not in the input; rate = "
                                "\"unlimited\" is written: put it there");
  const auto leaf = std::ranges::find_if(all_, [&](const TcObject* o) { return o != &root && o->parent != "ingress"; });
  if (leaf != all_.end()) read_leaf(**leaf);
}

}  // namespace

bool has_no_ethernet(const std::string& device) {
  constexpr std::array kPrefixes = {"ppp", "wg", "tun", "wwan", "gre", "sit", "ipip", "vti", "xfrm"};
  return std::ranges::any_of(kPrefixes, [&](const char* prefix) { return device.starts_with(prefix); });
}

std::vector<DeviceShape> shapes_of(const TcObjects& objects, Findings& findings) {
  std::vector<std::string> devices;
  for (const TcObject& object : objects.all)
    if (std::ranges::find(devices, object.device) == devices.end()) devices.push_back(object.device);
  std::vector<DeviceShape> out;
  for (const std::string& device : devices) {
    DeviceShape shape{.device = device};
    if (findings.is_refused() || !Tree(objects, device, findings).read(shape)) continue;
    const auto redirect = objects.redirects.find(device);
    const bool is_redirected = is_ifb(device) || redirect != objects.redirects.end();
    shape.is_ingress = shape.shape.is_ingress || is_redirected;
    shape.is_inside = shape.is_ingress && !is_redirected;  // cake's `ingress` where it transmits to the users
    if (redirect != objects.redirects.end()) shape.device = redirect->second;
    if (is_ifb(shape.device)) shape.device.clear();
    out.push_back(std::move(shape));
  }
  return out;
}

}  // namespace sojourn::imports

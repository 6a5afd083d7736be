#include "control/import/wire.h"

#include <algorithm>
#include <cctype>

#include "config/device.h"
#include "config/keys.h"
#include "control/import/tc_tree.h"

namespace sojourn::imports {
namespace {

// Fit for a comment: one line, whatever was in the input.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return text;
}

bool is_interface(const std::string& name) {
  constexpr size_t kMostLength = 15;  // IFNAMSIZ with its NUL is 16
  return !name.empty() && name.size() <= kMostLength && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '.' || c == '_' || c == '-' || c == '@' || c == ':';
  });
}

class Writer {
 public:
  void line(const std::string& text) { out_ += indent_ + text + '\n'; }
  void comment(const std::string& text) { line("# " + one_line(text)); }
  void open(const std::string& head) {
    line(head);
    indent_ += "  ";
  }
  void close(const std::string& tail) {
    indent_.resize(indent_.size() - 2);
    line(tail);
  }
  void setting(const std::string& key, const Setting& s) {
    line(key + " = " + s.value + ';' + (s.comment.empty() ? "" : "  # " + one_line(s.comment)));
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_, indent_;
};

void write_port(Writer& out, const char* name, const std::string& end, int number, Findings& findings) {
  std::string device = end, comment;
  const std::string prefix = "net_af_xdp" + std::to_string(number) + ",iface=";
  if (end.empty() || has_no_ethernet(end)) {
    const std::string side = std::string(name) == "inside" ? "users or servers" : "bottleneck";
    device = prefix + (std::string(name) == "inside" ? "FILL_IN_INSIDE" : "FILL_IN_OUTSIDE");
    comment = "fill in: the interface towards the " + side;
    if (!end.empty()) comment += "; " + end + " has no Ethernet, so the port below it";
    findings.note(0, "the device of port " + quote(name) + " is a placeholder: fill it in, or use --" + name +
                         (end.empty() ? "" : "; " + end + " bears no Ethernet frames"));
  } else if (!check_device(end).empty()) {
    device = prefix + end;
  }
  out.open("{ name = " + quote(name) + ";");
  out.setting("device", {quote(device), comment});
  out.close(std::string(name) == "inside" ? "}," : "}");
}

void write_direction(Writer& out, const char* name, const std::optional<Shape>& shape) {
  if (!shape) return out.comment(std::string(name) + " is not shaped: nothing in the input is for it");
  out.comment(shape->origin + (shape->line > 0 ? ", line " + std::to_string(shape->line) : ""));
  out.open(std::string(name) + " = {");
  for (const auto& key : direction_keys())
    if (const auto found = shape->settings.find(key.name); found != shape->settings.end())
      out.setting(key.name, found->second);
  out.close("};");
}

void write_lab(Writer& out, const Wire& wire) {
  std::vector<std::pair<const char*, const Shape*>> paths;
  if (wire.egress && !wire.egress->lab.empty()) paths.emplace_back("outside", &*wire.egress);
  if (wire.ingress && !wire.ingress->lab.empty()) paths.emplace_back("inside", &*wire.ingress);
  if (paths.empty()) return;
  out.comment("Delay and loss on purpose.");
  out.open("lab = (");
  for (const auto& [port, shape] : paths) {
    out.open("{ port = " + quote(port) + ";");
    for (const auto& [key, setting] : shape->lab) out.setting(key, setting);
    out.close(shape == paths.back().second ? "}" : "},");
  }
  out.close(");");
}

// The file is for people, and must not become too large to be read.
void write_findings(Writer& out, const std::vector<Finding>& findings) {
  constexpr size_t kMost = 200;
  for (size_t i = 0; i < std::min(findings.size(), kMost); ++i) {
    const Finding& f = findings[i];
    const std::string where = f.line > 0 ? "line " + std::to_string(f.line) + ": " : "";
    out.comment((f.severity == Severity::kLost ? "No equivalent: " : "Note: ") + where + f.text);
  }
  if (findings.size() > kMost)
    out.comment("... and " + std::to_string(findings.size() - kMost) + " more, which `sojourn import` has said.");
}

void need_rate(std::optional<Shape>& shape, const char* direction, Findings& findings) {
  if (!shape || shape->has("rate")) return;
  shape->set("rate", quote("unlimited"), "nothing in the input limits it; a queue builds where the bottleneck is");
  findings.note(shape->line, std::string(direction) +
                                 " has no rate: \"unlimited\" is written; set a little less than the bottleneck's, or "
                                 "the queue builds elsewhere");
}

}  // namespace

std::string check_end(const std::string& name) {
  if (check_device(name).empty() || is_interface(name)) return {};
  return quote(one_line(name)) +
         " is neither an interface of the kernel, such as \"eth1\", nor a device of DPDK, such as "
         "\"0000:3b:00.0\"";
}

std::string conf_text(Wire wire, const std::string& source, const std::string& command, Findings& findings) {
  need_rate(wire.egress, "egress", findings);
  need_rate(wire.ingress, "ingress", findings);
  Writer ports;
  ports.open("ports = (");
  write_port(ports, "inside", wire.inside, 0, findings);
  write_port(ports, "outside", wire.outside, 1, findings);
  ports.close(");");

  Writer out;
  out.comment("Made by `sojourn import " + command + "` from " + source +
              "; `sojourn check` says what would be in force.");
  write_findings(out, findings.sorted());
  Writer wires;
  wires.open("wires = (");
  wires.open("{ name = \"imported\"; inside = \"inside\"; outside = \"outside\";");
  write_direction(wires, "egress", wire.egress);
  write_direction(wires, "ingress", wire.ingress);
  wires.close("}");
  wires.close(");");
  write_lab(wires, wire);
  return out.take() + ports.take() + wires.take();
}

}  // namespace sojourn::imports

#include "control/import/translate.h"

#include <algorithm>

#include "config/device.h"
#include "config/key.h"
#include "control/import/dummynet.h"
#include "control/import/tc_object.h"
#include "control/import/tc_tree.h"

namespace sojourn::imports {
namespace {

void check_text(std::string_view text, Findings& findings) {
  if (text.size() > kMostImportBytes) findings.refuse(0, "is larger than " + format_size(kMostImportBytes));
  if (trimmed(text).empty()) findings.refuse(0, "is empty");
  const size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    findings.refuse(line_at(text, nul), "not a text: byte 0 at offset " + std::to_string(nul));
}

// What is written must be what `sojourn check` accepts, whatever was read.
std::string checked(std::string text, Findings& findings) {
  const Result result = parse(text, "sojourn.conf");
  for (const Diagnostic& d : result.errors)
    findings.refuse(0, "comes to a configuration that is wrong: " + d.name + ": " + d.message);
  for (const Diagnostic& d : result.warnings) findings.note(0, "of what is written: " + d.name + ' ' + d.message);
  return findings.is_refused() ? std::string() : text;
}

// Puts the shapes of interfaces on the two directions.
class Placement {
 public:
  Placement(const Ends& ends, Findings& findings) : ends_(ends), findings_(findings) {
    wire_.inside = ends.inside;
    wire_.outside = ends.outside;
  }

  void put(DeviceShape& s) {
    if (!s.device.empty() && !check_end(s.device).empty())
      return findings_.refuse(s.shape.line, "dev: " + check_end(s.device));
    if (!s.is_ingress && !s.device.empty() && s.device == ends_.inside) s.is_ingress = s.is_inside = true;
    const bool is_named_outside = !s.device.empty() && s.device == ends_.outside;
    if (!s.is_ingress && wire_.egress && !wire_.ingress && !is_named_outside) {
      s.is_ingress = s.is_inside = true;
      findings_.note(s.shape.line, s.shape.origin + " is taken for the inside and written as `ingress`; --outside " +
                                       (s.device.empty() ? "IFACE" : s.device) + " says otherwise");
    }
    std::optional<Shape>& direction = s.is_ingress ? wire_.ingress : wire_.egress;
    if (direction)
      return findings_.lost(s.shape.line, s.shape.origin +
                                              ": a wire has two directions, which are taken; import it by "
                                              "itself for a wire of its own");
    direction = std::move(s.shape);
    std::string& end = s.is_inside ? wire_.inside : wire_.outside;
    if (!end.empty() || s.device.empty()) return;
    end = s.device;
    // CASES DN-8.
    if (end.find('.') != std::string::npos && !check_device(end).empty())
      findings_.note(s.shape.line, end + " looks like a VLAN: a port below it has all VLANs, which are all shaped");
  }

  Wire take() {
    if (!wire_.inside.empty() && wire_.inside == wire_.outside)
      findings_.refuse(0, "both ports would be " + wire_.inside + "; say --inside and --outside");
    return std::move(wire_);
  }

 private:
  const Ends& ends_;
  Findings& findings_;
  Wire wire_;
};

Wire wire_of(std::vector<DeviceShape> shapes, const Ends& ends, Findings& findings) {
  if (shapes.empty() && !findings.is_refused())
    findings.refuse(0,
                    "holds no qdisc that has an equivalent; write for example \"tc qdisc add dev eth0 root fq_codel\"");
  // An interface that is named comes first, then those with a rate: a distribution's default qdisc is on every one.
  const auto rank = [&](const DeviceShape& s) {
    if (!s.device.empty() && (s.device == ends.outside || s.device == ends.inside)) return 0;
    return s.shape.has("rate") ? 1 : 2;
  };
  std::ranges::stable_sort(shapes, {}, rank);
  Placement placement(ends, findings);
  for (DeviceShape& shape : shapes) placement.put(shape);
  return placement.take();
}

}  // namespace

std::string import_tc(std::string_view text, const std::string& source, const Ends& ends, Findings& findings) {
  check_text(text, findings);
  if (findings.is_refused()) return {};
  TcObjects objects;
  const char first = trimmed(text)[0];
  if (first == '[' || first == '{') {
    read_tc_json(text, objects, findings);
  } else {
    for (const Words& command : commands_of(text, findings)) read_tc_command(command, objects, findings);
  }
  if (findings.is_refused()) return {};
  Wire wire = wire_of(shapes_of(objects, findings), ends, findings);
  if (findings.is_refused()) return {};
  return checked(conf_text(std::move(wire), source, "tc", findings), findings);
}

std::string import_dummynet(std::string_view text, const std::string& source, const Ends& ends, Findings& findings) {
  check_text(text, findings);
  if (findings.is_refused()) return {};
  Dummynet objects;
  if (trimmed(text).starts_with('<') || trimmed(text).starts_with("\xef\xbb\xbf<")) {
    read_limiter_xml(text, objects, findings);
  } else {
    for (const Words& command : commands_of(text, findings)) read_dummynet_command(command, objects, findings);
  }
  if (findings.is_refused()) return {};
  Wire wire = wire_of(objects, ends, findings);
  if (findings.is_refused()) return {};
  return checked(conf_text(std::move(wire), source, "dummynet", findings), findings);
}

}  // namespace sojourn::imports

#include "config/device.h"

#include <algorithm>
#include <cctype>

namespace sojourn {
namespace {

bool is_hex(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

// [domain:]bus:device.function
bool is_pci(std::string_view name) {
  if (const size_t domain = name.find(':'); domain != name.rfind(':')) {
    if (domain < 4 || domain > 8 || !is_hex(name.substr(0, domain))) return false;
    name.remove_prefix(domain + 1);
  }
  return name.size() == 7 && is_hex(name.substr(0, 2)) && name[2] == ':' && is_hex(name.substr(3, 2)) &&
         name[5] == '.' && name[6] >= '0' && name[6] <= '7';
}

bool is_interface(std::string_view text) {
  constexpr size_t kMostLength = 15;  // IFNAMSIZ with its NUL is 16
  return !text.empty() && text.size() <= kMostLength && std::isalpha(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
}

bool has_prefix_and_more(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto p) { return name.starts_with(p) && name.size() > p.size(); });
}

}  // namespace

std::string check_device(const std::string& device) {
  constexpr size_t kMostLength = 200;
  const std::string_view name = std::string_view(device).substr(0, device.find(','));
  const bool is_word = std::ranges::all_of(device, [](unsigned char c) { return c > ' ' && c != 0x7f; });
  const bool is_known =
      is_pci(name) || has_prefix_and_more(name, {"net_", "eth_", "pci:", "vdev:", "auxiliary:", "vmbus:", "fslmc:"});
  if (device.size() <= kMostLength && is_word && is_known) return {};
  // The kernel's name of an interface is what people write first.
  return "is no DPDK device; write a PCI address such as \"0000:3b:00.0\", or \"net_af_xdp0,iface=" +
         (is_interface(device) ? device : "eth1") + "\" for an interface of the kernel";
}

std::string device_identity(const std::string& device) {
  std::string name = device.substr(0, device.find(','));
  if (name.starts_with("pci:") || name.starts_with("vdev:")) name = name.substr(name.find(':') + 1);
  if (!is_pci(name)) return name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::count(name, ':') == 1 ? "0000:" + name : name;
}

}  // namespace sojourn

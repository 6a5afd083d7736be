// One side of a wire: any DPDK port, named by one device string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct rte_mempool;

namespace sojourn {

// "0000:3b:00.0", or a virtual device such as "net_af_packet0,iface=eth1".
struct DeviceName {
  bool is_pci = false;
  std::string name;       // what DPDK calls the port: a PCI address in full and in lower case
  std::string arguments;  // the whole string
  std::string interface;  // of iface=, else empty
};
DeviceName parse_device(const std::string& device);

// The MTU of one of the kernel's interfaces, by its name; absent if there is none.
std::optional<uint32_t> interface_mtu_bytes(const std::string& interface);
// Whether it has a carrier; false also where it is down or not there.
bool interface_has_carrier(const std::string& interface);
// As `ip link set INTERFACE up` or `down`. 0, or the error.
int set_interface(const std::string& interface, bool is_up);

struct PortOptions {
  std::string name;  // the operator's
  std::string device;
  std::optional<uint32_t> mtu_bytes;  // absent: what the port has
  uint16_t rx_descriptors = 1024;
  uint16_t tx_descriptors = 512;
};

// What the port is and what is on; for the log and for show.
struct PortFacts {
  std::string driver;
  uint32_t mtu_bytes = 0;
  int numa_node = -1;
  bool is_promiscuous = false;
  std::vector<std::string> rx_offloads, tx_offloads;  // that are on
  uint16_t rx_descriptors = 0, tx_descriptors = 0;
};

struct PortCounters {
  uint64_t received = 0, sent = 0;
  uint64_t missed = 0;   // the receive ring was full
  uint64_t no_mbuf = 0;  // no buffer for a received frame
  uint64_t receive_errors = 0, send_errors = 0;
};

class Port {
 public:
  explicit Port(const PortOptions& options);  // probes the device; throws SetupError
  ~Port();                                    // stops and closes it
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // Sets up one receive and one transmit queue without any offload that changes frames, and starts. Throws SetupError.
  void start(rte_mempool* buffers);
  void stop();

  uint16_t id() const { return id_; }
  const std::string& name() const { return options_.name; }
  const PortOptions& options() const { return options_; }
  uint32_t mtu_bytes() const;
  int numa_node() const;
  PortFacts facts() const;
  PortCounters counters() const;
  // The carrier of a kernel's interface, else what the driver says.
  bool is_link_up() const;
  // Takes the link up or down, so that the other end of the cable sees it. Why it could not, or "".
  std::string set_link(bool is_up);

 private:
  [[noreturn]] void fail(const std::string& what, int error) const;
  void set_mtu();
  void claim_interface();
  void take_ownership();

  // A socket whose name says that the interface is ours; given up also when the constructor throws.
  struct Claim {
    int socket = -1;
    Claim() = default;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim();
  };

  PortOptions options_;
  DeviceName device_;
  Claim claim_;
  uint16_t id_ = 0;
  bool is_started_ = false;
};

}  // namespace sojourn

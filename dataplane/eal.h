// DPDK's environment: started once, with huge pages when there are enough and without when not.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataplane/setup_error.h"

namespace sojourn {

enum class HugePages : uint8_t { kAuto, kOn, kOff };

struct EalOptions {
  uint64_t memory_bytes = 0;  // packet buffers and port rings; decides whether free huge pages suffice
  HugePages huge_pages = HugePages::kAuto;
  std::vector<std::string> pci_devices;              // the only ones that will be touched
  std::vector<unsigned> control_cpus;                // where the control thread may run
  std::vector<unsigned> worker_cpus;                 // worker n runs on worker_cpus[n]
  std::string file_prefix;                           // distinguishes processes
  std::function<void(const std::string&)> log_line;  // DPDK's own log, a line a call
};

class Eal {
 public:
  explicit Eal(const EalOptions& options);  // throws SetupError
  ~Eal();
  Eal(const Eal&) = delete;
  Eal& operator=(const Eal&) = delete;

  bool uses_huge_pages() const { return uses_huge_pages_; }
  static unsigned worker_lcore(unsigned worker) { return worker + 1; }
  // Runs `work` in DPDK's own thread and returns what it returned, or that it was not run.
  static std::string in_interrupt_thread(std::string (*work)());
  // What DPDK said first since `listen`: the cause of a failure; later lines tell of its consequences.
  static void listen();
  static std::string first_words();

 private:
  bool uses_huge_pages_ = false;
};

// Free huge page memory of the machine, all sizes together.
uint64_t free_huge_page_bytes();

// The CPUs that this process may run on, ascending.
std::vector<unsigned> allowed_cpus();

}  // namespace sojourn

// DPDK for a test program: without root, huge pages or NIC. Starts once per process, so one program a file.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "dataplane/eal.h"

namespace sojourn::test {

// A program's main: `name` keeps programs that run at the same time apart.
inline int run_with_dpdk(int argc, char** argv, const std::string& name) {
  ::testing::InitGoogleTest(&argc, argv);
  EalOptions options;
  options.memory_bytes = uint64_t{96} << 20;
  options.huge_pages = HugePages::kOff;
  options.control_cpus = allowed_cpus();
  options.worker_cpus = {options.control_cpus.back()};
  options.file_prefix = "sojourn-test-" + name + "-" + std::to_string(getpid());
  const Eal eal(options);
  return RUN_ALL_TESTS();
}

}  // namespace sojourn::test

// How many packet buffers a configuration needs at the very most, and the memory for them: fixed at start.
#pragma once

#include <cstdint>

#include "config/config.h"

namespace sojourn {

struct Budget {
  uint64_t scheduler_packets = 0;  // that all directions may queue together
  uint64_t lab_packets = 0;        // that all lab paths may hold together
  uint64_t ring_packets = 0;       // in descriptor rings and drivers
  uint64_t core_packets = 0;       // in bursts and per-core caches
  uint64_t packets() const { return scheduler_packets + lab_packets + ring_packets + core_packets; }
};

// `buffer_bytes`: of one packet buffer with its headers.
Budget budget_of(const Config& config, uint32_t buffer_bytes);

// Frames that one lab path can hold: its buffer, in frames of 256 bytes on average, and what is on its way.
uint32_t lab_capacity_packets(const LabPathConfig& lab);

// What DPDK's environment must have for them: buffers, their pool's ring and the ports' own structures.
uint64_t environment_bytes(const Budget& budget, uint32_t buffer_bytes, size_t ports);

}  // namespace sojourn

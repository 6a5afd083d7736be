// The packet buffers: one pool for all ports, of fixed size, taken at start.
#pragma once

#include <cstdint>

struct rte_mempool;

namespace sojourn {

class Buffers {
 public:
  static constexpr uint64_t kMost = uint64_t{1} << 30;  // that DPDK keeps in one pool

  // `frame_bytes`: the longest frame without FCS that must fit. Throws SetupError.
  Buffers(uint32_t count, uint32_t frame_bytes, int numa_node);
  ~Buffers();
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  rte_mempool* pool() const { return pool_; }
  uint32_t total() const { return count_; }
  uint32_t in_use() const;

  // All buffers stand in one array; net_af_xdp relies on it.
  bool is_one_array() const;

  // Memory of one buffer with its headers and padding.
  static uint32_t bytes_each(uint32_t frame_bytes);

 private:
  rte_mempool* pool_ = nullptr;
  uint32_t count_ = 0;
};

}  // namespace sojourn

#include "dataplane/buffers.h"

#include <rte_errno.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <string>

#include "dataplane/setup_error.h"

namespace sojourn {
namespace {

constexpr unsigned kCachePerCore = 256;

// Four VLAN tags may come on top of what the MTU allows. No port splits a frame over buffers.
uint16_t data_room(uint32_t frame_bytes) {
  const uint32_t longest = frame_bytes + 16;
  return static_cast<uint16_t>(std::max<uint32_t>(RTE_MBUF_DEFAULT_DATAROOM, longest) + RTE_PKTMBUF_HEADROOM);
}

}  // namespace

uint32_t Buffers::bytes_each(uint32_t frame_bytes) {
  rte_mempool_objsz size{};
  return rte_mempool_calc_obj_size(static_cast<uint32_t>(sizeof(rte_mbuf)) + data_room(frame_bytes), 0, &size);
}

Buffers::Buffers(uint32_t count, uint32_t frame_bytes, int numa_node)
    : pool_(rte_pktmbuf_pool_create("buffers", count, kCachePerCore, 0, data_room(frame_bytes), numa_node)),
      count_(count) {
  if (pool_ == nullptr) {
    const uint64_t megabytes = (uint64_t{count} * bytes_each(frame_bytes)) >> 20;
    throw SetupError("no memory for " + std::to_string(count) + " packet buffers (" + std::to_string(megabytes) +
                     " MB): " + rte_strerror(rte_errno));
  }
}

Buffers::~Buffers() {
  rte_mempool_free(pool_);
}

uint32_t Buffers::in_use() const {
  return rte_mempool_in_use_count(pool_);
}

}  // namespace sojourn

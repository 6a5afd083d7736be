#include "dataplane/buffers.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>

#include <algorithm>
#include <string>

#include "dataplane/buffer_size.h"
#include "dataplane/setup_error.h"

namespace sojourn {
namespace {

constexpr unsigned kCachePerCore = 256;

static_assert(sizeof(rte_mbuf) == kMbufBytes && RTE_PKTMBUF_HEADROOM == kMbufHeadroomBytes &&
              RTE_MBUF_DEFAULT_BUF_SIZE == kLeastDataRoomBytes);

uint16_t data_room(uint32_t frame_bytes) {
  return static_cast<uint16_t>(data_room_bytes(frame_bytes));
}

// Where devices use virtual addresses, a buffer may cross a page. rte_pktmbuf_pool_create would still keep each within
// one, which with 4 kB pages is one buffer a page; and net_af_xdp takes the pool for one array without gaps.
unsigned pool_flags() {
  return rte_eal_iova_mode() == RTE_IOVA_VA ? RTE_MEMPOOL_F_NO_IOVA_CONTIG : 0;
}

rte_mempool* create_pool(uint32_t count, uint16_t room, int numa_node) {
  rte_mempool* pool =
      rte_mempool_create_empty("buffers", count, static_cast<unsigned>(sizeof(rte_mbuf)) + room, kCachePerCore,
                               sizeof(rte_pktmbuf_pool_private), numa_node, pool_flags());
  if (pool == nullptr) return nullptr;
  rte_pktmbuf_pool_private facts{};
  facts.mbuf_data_room_size = room;
  if (rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(), nullptr) == 0) {
    rte_pktmbuf_pool_init(pool, &facts);
    const int populated = rte_mempool_populate_default(pool);
    if (populated >= 0) {
      rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
      return pool;
    }
    rte_errno = -populated;
  }
  rte_mempool_free(pool);
  return nullptr;
}

}  // namespace

uint32_t Buffers::bytes_each(uint32_t frame_bytes) {
  rte_mempool_objsz size{};
  return rte_mempool_calc_obj_size(static_cast<uint32_t>(sizeof(rte_mbuf)) + data_room(frame_bytes), pool_flags(),
                                   &size);
}

Buffers::Buffers(uint32_t count, uint32_t frame_bytes, int numa_node)
    : pool_(create_pool(count, data_room(frame_bytes), numa_node)), count_(count) {
  if (pool_ == nullptr) {
    const uint64_t megabytes = (uint64_t{count} * bytes_each(frame_bytes)) >> 20;
    throw SetupError("no memory for " + std::to_string(count) + " packet buffers (" + std::to_string(megabytes) +
                     " MB): " + rte_strerror(rte_errno));
  }
}

Buffers::~Buffers() {
  rte_mempool_free(pool_);
}

bool Buffers::is_one_array() const {
  return pool_->nb_mem_chunks == 1;
}

uint32_t Buffers::in_use() const {
  return rte_mempool_in_use_count(pool_);
}

}  // namespace sojourn

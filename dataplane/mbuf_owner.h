// The scheduler's packets as DPDK's: a handle is the address of an mbuf.
#pragma once

#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include <span>

#include "dataplane/frame.h"
#include "sched/packet.h"

namespace sojourn {

inline PacketHandle handle_of(rte_mbuf* m) {
  return reinterpret_cast<uintptr_t>(m);
}
inline rte_mbuf* mbuf_of(PacketHandle h) {
  return reinterpret_cast<rte_mbuf*>(h);
}

// A frame's bytes; ports give every frame in one buffer.
inline std::span<uint8_t> bytes_of(rte_mbuf* m) {
  return {rte_pktmbuf_mtod(m, uint8_t*), rte_pktmbuf_data_len(m)};
}

struct MbufOwner {
  EcnMark mark_ce(PacketHandle h) { return sojourn::mark_ce(bytes_of(mbuf_of(h))); }
  void drop(PacketHandle h, DropCause) { rte_pktmbuf_free(mbuf_of(h)); }
  void prefetch(PacketHandle h) { rte_prefetch0(mbuf_of(h)); }
};
static_assert(PacketOwner<MbufOwner>);

}  // namespace sojourn

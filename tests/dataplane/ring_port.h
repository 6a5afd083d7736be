// A real DPDK port whose wire is in the test's hands: two rings that net_ring makes a port of.
#pragma once

#include <rte_dev.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "dataplane/buffers.h"
#include "tests/dataplane/udp_frame.h"

namespace sojourn::test {

// Null when the pool has run dry.
inline rte_mbuf* mbuf(const Buffers& buffers, const Bytes& frame) {
  rte_mbuf* m = rte_pktmbuf_alloc(buffers.pool());
  if (m == nullptr) return nullptr;
  m->data_len = static_cast<uint16_t>(frame.size());
  m->pkt_len = m->data_len;
  std::copy(frame.begin(), frame.end(), rte_pktmbuf_mtod(m, uint8_t*));
  return m;
}

class RingPort {
 public:
  static constexpr unsigned kRoom = 4095;

  // `sends`: frames that its transmit ring holds.
  RingPort(const std::string& name, const Buffers& buffers, unsigned sends = kRoom)
      : name_(name), arriving_(ring(name + "_rx", kRoom)), sent_(ring(name + "_tx", sends)) {
    const int id = rte_eth_from_rings(name.c_str(), &arriving_, 1, &sent_, 1, 0);
    if (id < 0) throw std::runtime_error("no port " + name);
    id_ = static_cast<uint16_t>(id);
    rte_eth_conf conf{};
    if (rte_eth_dev_configure(id_, 1, 1, &conf) != 0 ||
        rte_eth_rx_queue_setup(id_, 0, 64, 0, nullptr, buffers.pool()) != 0 ||
        rte_eth_tx_queue_setup(id_, 0, 64, 0, nullptr) != 0 || rte_eth_dev_start(id_) != 0) {
      throw std::runtime_error("port " + name + " does not start");
    }
  }
  ~RingPort() {
    rte_eth_dev_info info{};
    rte_eth_dev_info_get(id_, &info);
    rte_eth_dev_stop(id_);
    rte_eth_dev_close(id_);
    rte_dev_remove(info.device);
    rte_ring_free(arriving_);
    rte_ring_free(sent_);
  }
  RingPort(const RingPort&) = delete;
  RingPort& operator=(const RingPort&) = delete;

  uint16_t id() const { return id_; }

  // The frame is the port's to receive next.
  void arrive(rte_mbuf* m) {
    if (m == nullptr || rte_ring_enqueue(arriving_, m) != 0) throw std::runtime_error(name_ + ": no room to arrive");
  }
  // The next frame that the port has sent; its mbuf goes back.
  std::optional<Bytes> take() {
    void* object = nullptr;
    if (rte_ring_dequeue(sent_, &object) != 0) return std::nullopt;
    auto* m = static_cast<rte_mbuf*>(object);
    const uint8_t* start = rte_pktmbuf_mtod(m, uint8_t*);
    Bytes frame(start, start + rte_pktmbuf_data_len(m));
    rte_pktmbuf_free(m);
    return frame;
  }
  std::vector<Bytes> take_all() {
    std::vector<Bytes> frames;
    while (auto frame = take()) frames.push_back(std::move(*frame));
    return frames;
  }
  // Frees what has not been received; how many frames that were.
  unsigned give_back_arriving() {
    unsigned count = 0;
    for (void* m = nullptr; rte_ring_dequeue(arriving_, &m) == 0; ++count) rte_pktmbuf_free(static_cast<rte_mbuf*>(m));
    return count;
  }
  unsigned arriving() const { return rte_ring_count(arriving_); }
  unsigned sent() const { return rte_ring_count(sent_); }

 private:
  static rte_ring* ring(const std::string& name, unsigned capacity) {
    rte_ring* r = rte_ring_create(name.c_str(), capacity, 0, RING_F_EXACT_SZ | RING_F_SP_ENQ | RING_F_SC_DEQ);
    if (r == nullptr) throw std::runtime_error("no ring " + name);
    return r;
  }

  std::string name_;
  rte_ring *arriving_, *sent_;
  uint16_t id_ = 0;
};

}  // namespace sojourn::test

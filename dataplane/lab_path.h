// The modem and the Internet: a slow link with a buffer, then a delay. Sits on a port's transmit side in lab
// configurations only, so that one machine can show what a queue that is not ours does to a connection.
//
//   push -> loss -> bottleneck: a FIFO with tail drop, serialised at the rate -> delay line -> pop
//
// Frames keep their order unless `reorder` is asked for. Jitter, or a route that becomes shorter, never lets a frame
// overtake the one before: it waits for it. (In reality a flip to a shorter route may reorder for as long as the routes
// differ; here the frames of that time come out together, so that what is measured is the sender's answer to the delay
// and not to reordering.) A lost frame is lost before the bottleneck and uses none of its time.
//
// Pure: no clock, no DPDK. All memory is taken at construction. Instants passed in must not go back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/lab_timetable.h"
#include "sched/counters.h"
#include "sched/units.h"

namespace sojourn {

// At every instant, in packets and in bytes: received = sent + queued + overflow + loss + capacity + returned.
struct LabPathCounters {
  Tally received;
  Tally sent;      // handed out by pop
  Tally queued;    // in the bottleneck and in the delay line
  Tally overflow;  // the bottleneck's buffer was full
  Tally loss;      // lost at random
  Tally capacity;  // more frames under way than the path has places for
  Tally returned;  // given back by drain
};

class LabPath {
 public:
  using Handle = void*;
  enum class Verdict : uint8_t {
    kTaken,
    kLoss,
    kOverflow,
    kCapacity
  };  // all but kTaken: the handle stays the caller's
  static constexpr uint32_t kMostFrameBytes = 1u << 30;

  // `capacity_packets`: most frames under way at once. Throws SetupError for parameters that cannot be.
  LabPath(const LabPathParameters& parameters, uint32_t capacity_packets, Time start);

  Verdict push(Time now, Handle frame, uint32_t bytes);

  // Takes out the frames whose time has come, at most out.size(), in the order of their times.
  unsigned pop(Time now, std::span<Handle> out);

  // Gives frames back, due or not, at most out.size() a call; 0 when there are none left. To be called until then.
  unsigned drain(std::span<Handle> out);

  uint32_t size() const { return static_cast<uint32_t>(counters_.queued.packets); }
  uint64_t queued_bytes() const { return counters_.queued.bytes; }
  const LabPathCounters& counters() const { return counters_; }

 private:
  struct Entry {
    Handle frame;
    Time time;  // in the bottleneck: of arrival; after it: before which it does not come out
    uint32_t bytes;
  };
  class Ring {
   public:
    explicit Ring(uint32_t capacity);
    bool is_empty() const { return head_ == tail_; }
    uint32_t size() const { return tail_ - head_; }
    Entry& front() { return entries_[head_ & mask_]; }
    void push_back(const Entry& e) { entries_[tail_++ & mask_] = e; }
    Entry pop_front() { return entries_[head_++ & mask_]; }

   private:
    std::vector<Entry> entries_;
    uint32_t mask_;
    uint32_t head_ = 0, tail_ = 0;  // free-running
  };
  struct Random {  // SplitMix64 (Steele, Lea, Flood 2014)
    uint64_t state;
    uint64_t next();
  };

  void advance(Time now);
  void begin_sending();
  void enter_delay_line(const Entry& sent);
  void leave(const Entry& e, Tally& into);
  Ring* earliest_due(Time now);
  bool has_room(uint32_t bytes) const;

  LabTimetable timetable_;
  uint64_t buffer_bytes_, buffer_packets_;
  uint64_t reorder_below_;
  Duration reorder_hold_;
  uint32_t capacity_packets_;
  Random loss_random_, jitter_random_, reorder_random_;  // apart, so that turning one on leaves the others as they were

  Ring bottleneck_, in_order_, held_back_;
  uint64_t bottleneck_bytes_ = 0;
  Time now_;
  // When the bottleneck has sent its first frame, or has become free: free_at_ + remainder_ / rate_ nanoseconds.
  Time free_at_;
  uint64_t remainder_ = 0;
  BitsPerSecond rate_ = kUnlimited;  // at which the first frame is being sent
  LabPathCounters counters_;
};

}  // namespace sojourn

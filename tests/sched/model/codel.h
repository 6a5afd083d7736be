// CoDel as RFC 8289 writes it, inner loop and all, with SPEC's decisions on ECN. The RFC's code takes packets from its
// queue wherever it likes; here that place is a coroutine's suspension, so the code stays as it is written and its
// caller decides when, and at what instant, the next packet is given.
#pragma once

#include <coroutine>
#include <exception>

#include "tests/sched/model/rules.h"

namespace sojourn::model {

enum class Fate : uint8_t { kDeliver, kDeliverSignalled, kDrop };

// The head of the queue as the law sees it, or that there is none.
struct Look {
  bool is_packet = false;
  Instant now = 0;
  Wide sojourn_ns = 0;
  Wide bytes_behind = 0;
  bool can_carry_signal = false;  // ECN-capable, or CE already
};

struct CodelState {
  Wide first_above_time = 0;
  bool is_above = false;  // RFC: first_above_time_ != 0
  Wide drop_next = 0;
  uint64_t count = 0;
  uint64_t last_count = 0;
  bool is_dropping = false;
};

class Codel {
 public:
  // `rules` stay where they are; what they say may change between packets.
  explicit Codel(const Rules& rules) : rules_(rules), handle_(course().handle) {}
  Codel(const Codel&) = delete;
  Codel& operator=(const Codel&) = delete;
  ~Codel() { handle_.destroy(); }

  // What becomes of the packet at the head. Told of an empty queue, the answer means nothing.
  Fate advance(const Look& look) {
    handle_.promise().look = look;
    handle_.resume();
    return handle_.promise().fate;
  }
  const CodelState& state() const { return state_; }

 private:
  // The suspended course of the RFC's code: what it said of the last packet, and the packet that it is given next.
  struct Promise;
  using Handle = std::coroutine_handle<Promise>;
  struct Course {
    using promise_type = Promise;
    Handle handle;
  };
  struct Promise {
    Look look;
    Fate fate = Fate::kDeliver;
    Course get_return_object() { return {Handle::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() { std::terminate(); }
    void return_void() {}
    struct Next {
      Promise& promise;
      bool await_ready() { return false; }
      void await_suspend(Handle) {}
      const Look& await_resume() { return promise.look; }
    };
    Next yield_value(Fate f) {
      fate = f;
      return {*this};
    }
  };

  // RFC 8289 5.4, dodequeue_result.
  struct Dequeued {
    bool is_packet, is_ok_to_drop, can_be_marked;
    Instant now;
  };
  Dequeued dodequeue(const Look& look);
  Course course();
  void enter_dropping(Instant now);

  const Rules& rules_;
  CodelState state_;
  Handle handle_;
};

}  // namespace sojourn::model

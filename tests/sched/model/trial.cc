#include "tests/sched/model/trial.h"

#include <sstream>

#include "tests/sched/model/draw.h"

namespace sojourn::model {
namespace {

// So far from 0 that nothing which is subtracted from an instant makes it negative; a multiple of the product's wrap.
constexpr Instant kEpoch = Instant{1} << 64;

Plan plan_of(const Setting& s) {
  return compile(s.parameters, s.mtu_bytes, s.buffer_bytes);
}

template <typename A, typename B>
void compare(std::ostream& out, const char* what, const A& product, const B& model) {
  if (product == model) return;
  out << what << ": product " << product << ", model " << model << "; ";
}

void compare(std::ostream& out, const char* what, const Tally& product, const Tally& model) {
  if (product == model) return;
  out << what << ": product " << product.packets << " packets of " << product.bytes << " bytes, model " << model.packets
      << " of " << model.bytes << "; ";
}

std::optional<std::string> text_or_none(const std::ostringstream& out) {
  return out.str().empty() ? std::nullopt : std::optional(out.str());
}

std::string list(const Events& events) {
  std::ostringstream out;
  for (const Event& e : events) {
    out << ' ' << e.handle << (e.drop ? " dropped, cause " + std::to_string(static_cast<int>(*e.drop)) : " marked");
  }
  return out.str();
}

std::string list(std::span<const PacketHandle> handles) {
  std::ostringstream out;
  for (const PacketHandle h : handles) out << ' ' << h;
  return out.str();
}

}  // namespace

Trial::Trial(const Opening& opening)
    : opening_(opening),
      setting_(opening.setting),
      now_(kEpoch + opening.start_ns),
      model_(setting_, now_, [this](PacketHandle h) { return kinds_[h]; }),
      product_(std::make_unique<Scheduler>(plan_of(setting_), product_now(), std::pmr::new_delete_resource())),
      owner_{kinds_, {}} {}

void Trial::say(const std::string& what) {
  if (is_logging_) log_ += what + '\n';
}

std::optional<std::string> Trial::step(uint64_t operation) {
  Draw draw(operation / 16);
  model_events_.clear();
  owner_.events.clear();
  std::optional<std::string> difference_in_call;
  switch (operation % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
      enqueue(draw.any());
      break;
    case 5:
    case 6:
    case 7:
    case 8:
      difference_in_call = dequeue(draw.one_in(2) ? 1 : draw.between(1, 32));
      break;
    case 15:
      if (draw.one_in(4))
        adopt(draw.any());
      else
        wait_some(draw.any());
      break;
    default:
      wait_some(draw.any());
  }
  if (difference_in_call) return difference_in_call;
  return difference();
}

void Trial::enqueue(uint64_t draw_from) {
  Draw draw(draw_from);
  std::vector<Arrival> burst(draw.one_in(2) ? 1 : draw.between(1, 32));
  const uint64_t flows = draw.one_in(3) ? 1 : draw.between(1, opening_.hashes.size());
  for (Arrival& a : burst) {
    a.handle = kinds_.size();
    a.flow_hash = opening_.hashes[draw.below(flows)];
    a.frame_bytes = static_cast<uint32_t>(draw.one_in(4) ? draw.between(1, opening_.most_frame_bytes)
                                                         : draw.scaled(1, opening_.most_frame_bytes));
    if (draw.one_in(4)) a.frame_bytes = static_cast<uint32_t>(model_.rules().exempt_bytes);  // one MTU frame
    kinds_.push_back(draw.of(std::array{EcnMark::kNotEct, EcnMark::kMarked, EcnMark::kMarked, EcnMark::kAlreadyCe,
                                        EcnMark::kNotEct, EcnMark::kNotIp}));
    if (is_logging_) {
      std::ostringstream out;
      out << "enqueue " << a.handle << " hash " << std::hex << a.flow_hash << std::dec << " bytes " << a.frame_bytes
          << " ecn " << static_cast<int>(kinds_.back());
      say(out.str());
    }
  }
  touched_queue_ = product_->queue_of(burst.back().flow_hash);
  model_.enqueue(now_, burst, model_events_);
  product_->enqueue(product_now(), burst, owner_);
}

std::optional<std::string> Trial::dequeue(size_t most) {
  say("dequeue " + std::to_string(most));
  std::vector<PacketHandle> out(most);
  const auto expected = model_.dequeue(now_, most, model_events_);
  out.resize(product_->dequeue(product_now(), out, owner_));
  if (out == expected) return std::nullopt;
  return "departures: product" + list(out) + ", model" + list(expected);
}

void Trial::wait(Wide ns) {
  if (ns <= 0) return;
  say("wait " + std::to_string(static_cast<uint64_t>(ns)) + " ns");
  now_ += ns;
}

// The instants at which something turns, and a nanosecond before and after; else any time from 1 ns to ten hours.
void Trial::wait_some(uint64_t draw_from) {
  Draw draw(draw_from);
  const Rules& rules = model_.rules();
  const Wide around = Wide{draw.below(3)} - 1;
  switch (draw.below(8)) {
    case 0:
    case 1:
      return wait(model_.shaper().opens_at() - now_ + around);
    case 2:
      return wait(rules.target_ns + around);
    case 3:
      return wait(rules.interval_ns / static_cast<Wide>(draw.between(1, 20)) + around);
    case 4:
      return wait(rules.interval_ns * static_cast<Wide>(draw.between(1, 18)) + around);
    case 5: {
      const Queue* queue = model_.find_queue(touched_queue_);
      return wait(queue == nullptr ? 1 : queue->codel.state().drop_next - now_ + around);
    }
    default:
      return wait(Wide{draw.scaled(1, draw.one_in(20) ? 36'000'000'000'000 : 10'000'000)});
  }
}

// Takes some of the values of another opening; the queues stay as many, and the limits within the first ones.
void Trial::adopt(uint64_t draw_from) {
  Draw draw(draw_from);
  const Setting other = Opening::draw(draw.any()).setting;
  const Parameters& from = other.parameters;
  Parameters& p = setting_.parameters;
  if (draw.one_in(2)) p.rate = from.rate;
  if (draw.one_in(3)) p.burst_bytes = from.burst_bytes;
  if (draw.one_in(4)) p.overhead_bytes = from.overhead_bytes, p.mpu_bytes = from.mpu_bytes;
  if (draw.one_in(4)) p.target = from.target, p.interval = from.interval;
  if (draw.one_in(4)) p.aqm = from.aqm, p.ecn = from.ecn, p.ce_threshold = from.ce_threshold;
  if (draw.one_in(4)) p.quantum_bytes = from.quantum_bytes;
  if (draw.one_in(4)) setting_.mtu_bytes = other.mtu_bytes;
  const Parameters& first = opening_.setting.parameters;
  if (draw.one_in(4)) p.limit_packets = static_cast<uint32_t>(draw.between(1, first.limit_packets));
  if (draw.one_in(4)) p.memory_bytes = draw.between(1, first.memory_bytes);
  say("adopt rate " + std::to_string(p.rate.value) + " limit " + std::to_string(p.limit_packets));
  model_.adopt(setting_, now_);
  product_->adopt(plan_of(setting_), product_now());
}

std::optional<std::string> Trial::difference() const {
  if (owner_.events != model_events_) return "events: product" + list(owner_.events) + ", model" + list(model_events_);
  if (const auto text = difference_of_counters()) return text;
  std::ostringstream out;
  compare(out, "is_ready", product_->is_ready(product_now()), model_.is_ready(now_));
  if (!model_.rules().is_unlimited) {
    compare(out, "opens_at", product_->opens_at().ns, static_cast<uint64_t>(model_.shaper().opens_at()));
  } else {
    compare(out, "unlimited, opens by now", is_before(product_now(), product_->opens_at()), false);
  }
  compare(out, "sojourns", product_->sojourn().count(), model_.recorded_sojourns());
  compare(out, "longest sojourn", product_->sojourn().max().ns, static_cast<int64_t>(model_.longest_sojourn_ns()));
  compare(out, "new flows", product_->flow_counts().new_list, model_.new_flows());
  compare(out, "old flows", product_->flow_counts().old_list, model_.old_flows());
  if (const auto text = text_or_none(out)) return text;
  return difference_of_queue(touched_queue_);
}

std::optional<std::string> Trial::difference_of_counters() const {
  const Counters &p = product_->counters(), &m = model_.counters();
  if (p == m) return std::nullopt;
  std::ostringstream out;
  compare(out, "received", p.received, m.received);
  compare(out, "sent", p.sent, m.sent);
  compare(out, "queued", p.queued, m.queued);
  for (size_t i = 0; i < kDropCauses; ++i) {
    compare(out, ("dropped, cause " + std::to_string(i)).c_str(), p.dropped[i], m.dropped[i]);
  }
  compare(out, "sent_wire_bytes", p.sent_wire_bytes, m.sent_wire_bytes);
  compare(out, "marked_ecn", p.marked_ecn, m.marked_ecn);
  compare(out, "marked_ce_threshold", p.marked_ce_threshold, m.marked_ce_threshold);
  compare(out, "already_ce", p.already_ce, m.already_ce);
  compare(out, "new_flows", p.new_flows, m.new_flows);
  compare(out, "collisions", p.collisions, m.collisions);
  compare(out, "overflows", p.overflows, m.overflows);
  compare(out, "late_ns", p.late_ns, m.late_ns);
  compare(out, "most_frame_bytes", p.most_frame_bytes, m.most_frame_bytes);
  return out.str();
}

std::optional<std::string> Trial::difference_of_queue(uint32_t index) const {
  const Queue* m = model_.find_queue(index);
  const Flow& p = product_->flow(index);
  std::ostringstream out;
  if (m == nullptr) {
    compare(out, "packets of a queue never used", p.packets, 0u);
    return text_or_none(out);
  }
  compare(out, "packets", p.packets, m->packets.size());
  compare(out, "backlog", p.backlog_bytes, m->backlog_bytes);
  compare(out, "deficit", p.deficit, static_cast<int64_t>(m->deficit));
  compare(out, "list", static_cast<int>(p.list), static_cast<int>(m->list));
  compare(out, "count", product_->codel(index).count, m->codel.state().count);
  compare(out, "last count", product_->codel(index).last_count, m->codel.state().last_count);
  compare(out, "drop next", product_->codel(index).drop_next_ns, static_cast<uint64_t>(m->codel.state().drop_next));
  if (!out.str().empty()) out << "queue " << index;
  return text_or_none(out);
}

std::optional<std::string> Trial::finish() {
  say("until empty");
  for (int i = 0; i < 100'000 && !is_over(); ++i) {
    model_events_.clear();
    owner_.events.clear();
    if (const auto text = dequeue(32)) return text;
    if (const auto text = difference()) return text;
    if (product_->flow_counts().new_list + product_->flow_counts().old_list == 0) break;
    wait(model_.rules().is_unlimited ? 1'000 : model_.shaper().opens_at() - now_);
  }
  const uint32_t queues = model_.rules().queues;
  for (uint32_t q = 0; q < queues && queues <= 1024 && !is_over(); ++q) {
    if (const auto text = difference_of_queue(q)) return text;
  }
  return std::nullopt;
}

Outcome run(const Opening& opening, std::span<const uint64_t> operations) {
  Trial trial(opening);
  Outcome outcome;
  for (const uint64_t operation : operations) {
    if (trial.is_over()) break;
    ++outcome.operations;
    outcome.difference = trial.step(operation);
    if (outcome.difference && !trial.is_over()) return outcome;
  }
  if (!trial.is_over()) outcome.difference = trial.finish();
  if (trial.is_over()) outcome.difference.reset();  // also when what is left open was reached within the last call
  outcome.packets = trial.packets();
  return outcome;
}

std::string describe(const Opening& opening, std::span<const uint64_t> operations) {
  const Parameters& p = opening.setting.parameters;
  std::ostringstream out;
  out << "start " << opening.start_ns << " ns, mtu " << opening.setting.mtu_bytes << ", flows " << p.flows
      << (p.isolation == Isolation::kNone ? " isolation none" : "") << (p.aqm == Aqm::kNone ? " aqm none" : "")
      << ", rate " << p.rate.value << ", burst " << (p.burst_bytes ? std::to_string(*p.burst_bytes) : "derived")
      << ", overhead " << p.overhead_bytes << ", mpu " << p.mpu_bytes << ", quantum " << p.quantum_bytes << ", limit "
      << p.limit_packets << ", buffers " << p.memory_bytes / opening.setting.buffer_bytes << ", target " << p.target.ns
      << ", interval " << p.interval.ns << (p.ecn ? ", ecn" : "") << ", ce_threshold "
      << (p.ce_threshold ? std::to_string(p.ce_threshold->ns) : "off") << '\n';
  Trial trial(opening);
  trial.keep_log();
  std::optional<std::string> difference;
  for (const uint64_t operation : operations) {
    if (!difference) difference = trial.step(operation);
  }
  if (!difference) difference = trial.finish();
  return out.str() + trial.log() + "=> " + difference.value_or("no difference") + '\n';
}

}  // namespace sojourn::model

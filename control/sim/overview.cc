#include "control/sim/overview.h"

#include <fmt/format.h>

namespace sojourn::sim {

nlohmann::ordered_json overview_json(const std::string& name, const std::vector<Outcome>& outcomes) {
  nlohmann::ordered_json j = {{"scenario", name}, {"runs", nlohmann::ordered_json::array()}};
  for (const Outcome& o : outcomes) j["runs"].push_back(json_of(o));
  return j;
}

std::string overview_text(const std::vector<Outcome>& outcomes) {
  std::string text =
      "run                            used %  goodput Mbit/s  queueing ms: mean      p95      p99  dropped %    Jain\n";
  for (const Outcome& o : outcomes) {
    const BottleneckOutcome& b = o.bottlenecks[0];
    text += fmt::format("{:<30} {:>6}  {:>14.3f} {:>18} {:>8} {:>8}  {:>9.4f}  {:>6}\n", o.name,
                        b.utilisation ? fmt::format("{:.2f}", *b.utilisation * 100) : "-", o.goodput_bps / 1e6,
                        milliseconds(b.waited.mean), milliseconds(b.waited.p95), milliseconds(b.waited.p99),
                        b.drop_rate * 100, o.jain ? fmt::format("{:.4f}", *o.jain) : "-");
  }
  return text;
}

std::string overview_csv(const std::vector<Outcome>& outcomes) {
  std::string text =
      "run,bottleneck,utilisation,goodput_bps,queueing_mean_ms,queueing_p95_ms,queueing_p99_ms,drop_rate,jain\n";
  for (const Outcome& o : outcomes)
    for (const BottleneckOutcome& b : o.bottlenecks)
      text += fmt::format("{},{},{},{:.0f},{},{},{},{:.8f},{}\n", o.name, b.name,
                          b.utilisation ? fmt::format("{:.6f}", *b.utilisation) : "", o.goodput_bps,
                          milliseconds(b.waited.mean), milliseconds(b.waited.p95), milliseconds(b.waited.p99),
                          b.drop_rate, o.jain ? fmt::format("{:.6f}", *o.jain) : "");
  return text;
}

}  // namespace sojourn::sim

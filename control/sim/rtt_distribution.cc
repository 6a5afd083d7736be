#include "control/sim/rtt_distribution.h"

#include <algorithm>
#include <fstream>

#include "config/key.h"
#include "control/sim/exact_math.h"

namespace sojourn::sim {
namespace {

constexpr Range<int64_t> kRttNs{1'000, 60'000'000'000};

std::string range_of_rtts(Duration rtt) {
  const int64_t nearest = std::clamp(rtt.ns, kRttNs.least, kRttNs.most);
  if (nearest == rtt.ns) return {};
  return quote(format_time(rtt)) + " is out of range; nearest is " + quote(format_time({nearest}));
}

Parsed<Duration> parse_rtt(std::string_view text) {
  Parsed<Duration> parsed = parse_time(text);
  if (!parsed.value) return parsed;
  if (std::string reason = range_of_rtts(*parsed.value); !reason.empty()) return {std::nullopt, reason};
  return parsed;
}

}  // namespace

RttDistribution RttDistribution::through(Duration p50, Duration p95) {
  RttDistribution d;
  d.log_median_ = natural_log(static_cast<double>(p50.ns));
  d.log_deviation_ = (natural_log(static_cast<double>(p95.ns)) - d.log_median_) / normal_quantile(0.95);
  return d;
}

RttDistribution RttDistribution::of(std::vector<Duration> measured) {
  RttDistribution d;
  d.sorted_ = std::move(measured);
  std::ranges::sort(d.sorted_);
  return d;
}

Duration RttDistribution::quantile(double fraction) const {
  if (sorted_.empty()) {
    const double ns = exponential(log_median_ + log_deviation_ * normal_quantile(fraction));
    return {std::clamp(static_cast<int64_t>(ns), kRttNs.least, kRttNs.most)};
  }
  const double place = fraction * static_cast<double>(sorted_.size()) - 0.5;
  if (place <= 0) return sorted_.front();
  const auto below = static_cast<size_t>(place);
  if (below + 1 >= sorted_.size()) return sorted_.back();
  const double share = place - static_cast<double>(below);
  const auto step = static_cast<double>(sorted_[below + 1].ns - sorted_[below].ns);
  return {sorted_[below].ns + static_cast<int64_t>(share * step)};
}

std::vector<Duration> RttDistribution::draw(uint32_t count) const {
  std::vector<Duration> rtts;
  for (uint32_t i = 0; i < count; ++i) rtts.push_back(quantile((i + 0.5) / count));
  return rtts;
}

RttFile read_rtts(const std::string& path) {
  RttFile file;
  std::ifstream in(path);
  if (!in) {
    file.errors.push_back({path, 0, {}, "cannot be read"});
    return file;
  }
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#') continue;
    const auto parsed = parse_rtt(text);
    if (parsed.value)
      file.rtts.push_back(*parsed.value);
    else
      file.errors.push_back({path, number, {}, parsed.reason});
  }
  if (file.rtts.empty() && file.errors.empty()) file.errors.push_back({path, 0, {}, "holds no round trip time"});
  return file;
}

Parsed<RttQuantiles> parse_rtt_quantiles(const std::string& text) {
  const size_t comma = text.find(',');
  const auto p50 = parse_rtt(text.substr(0, comma)), p95 = parse_rtt(text.substr(comma + 1));
  if (!p50.value) return {std::nullopt, p50.reason};
  if (!p95.value) return {std::nullopt, p95.reason};
  if (*p95.value < *p50.value)
    return {std::nullopt, "the 95th percentile " + quote(format_time(*p95.value)) + " is below the median " +
                              quote(format_time(*p50.value))};
  return {RttQuantiles{*p50.value, *p95.value}, {}};
}

}  // namespace sojourn::sim

// The long form of the model test: random trials from one seed until the operations or the seconds are used up. On a
// difference: the seed, and the shortest part of the trial that still shows it; exit code 1.
#include <charconv>
#include <chrono>
#include <iostream>

#include "tests/sched/model/draw.h"
#include "tests/sched/model/shorten.h"

namespace sojourn::model {
namespace {

constexpr size_t kOperationsATrial = 2'000;
using Clock = std::chrono::steady_clock;

struct Bounds {
  uint64_t seed = 1;
  uint64_t operations = 1'000'000;
  uint64_t seconds = UINT64_MAX;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int fail(uint64_t number, const Opening& opening, std::span<const uint64_t> operations) {
  const auto shortest = shorten(opening, operations);
  std::cout << "trial " << number << ": product and model differ; the shortest part of it that shows this ("
            << shortest.size() << " of " << operations.size() << " operations):\n"
            << describe(opening, shortest);
  return 1;
}

int soak(const Bounds& bounds) {
  Draw draw(bounds.seed);
  const auto start = Clock::now();
  auto told = start;
  uint64_t operations = 0, packets = 0, trials = 0;
  std::vector<uint64_t> words(kOperationsATrial);
  while (operations < bounds.operations && seconds_since(start) < static_cast<double>(bounds.seconds)) {
    const uint64_t number = draw.any();
    Draw trial(number);
    const Opening opening = Opening::draw(trial.any());
    for (uint64_t& w : words) w = trial.any();
    const Outcome outcome = run(opening, words);
    operations += outcome.operations;
    packets += outcome.packets;
    ++trials;
    if (outcome.difference) {
      std::cout << "seed " << bounds.seed << ", ";
      return fail(number, opening, {words.data(), outcome.operations});
    }
    if (Clock::now() - told > std::chrono::seconds(10)) {
      told = Clock::now();
      std::cerr << "seed " << bounds.seed << ": " << operations << " operations, " << packets << " packets, "
                << static_cast<uint64_t>(seconds_since(start)) << " s\n";
    }
  }
  std::cout << "seed " << bounds.seed << ": " << operations << " operations in " << trials << " trials, " << packets
            << " packets, no difference, " << static_cast<uint64_t>(seconds_since(start)) << " s\n";
  return 0;
}

bool read(const char* text, uint64_t& value) {
  const char* end = text + std::char_traits<char>::length(text);
  const auto result = std::from_chars(text, end, value);
  return result.ec == std::errc{} && result.ptr == end;
}

}  // namespace
}  // namespace sojourn::model

int main(int argc, char** argv) {
  sojourn::model::Bounds bounds;
  const bool is_valid = argc >= 3 && argc <= 4 && sojourn::model::read(argv[1], bounds.seed) &&
                        sojourn::model::read(argv[2], bounds.operations) &&
                        (argc == 3 || sojourn::model::read(argv[3], bounds.seconds));
  if (!is_valid) {
    std::cerr << "usage: " << argv[0] << " SEED OPERATIONS [SECONDS]\n";
    return 2;
  }
  return sojourn::model::soak(bounds);
}

// The product against the model, on operations that RapidCheck draws and, should they differ, shortens. scripts/soak is
// the long form. CASES CK-1, DS-2, DS-6: what sums over flows is recomputed from the model's flows after every
// operation, at any rate, and each trial creates, runs and destroys a scheduler.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>

#include "tests/sched/model/control_law.h"
#include "tests/sched/model/outcome.h"

namespace sojourn::model {
namespace {

// A million operations.
constexpr const char* kRapidCheck = "seed=1 max_success=4000";
constexpr int kMostOperations = 1'000;

TEST(Model, AgreesWithTheProductAfterEveryOperation) {
  setenv("RC_PARAMS", kRapidCheck, 0);
  uint64_t operations = 0, packets = 0;
  const auto number = rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<uint64_t>()));
  const auto words = rc::gen::scale(static_cast<double>(kMostOperations) / rc::kNominalSize,
                                    rc::gen::container<std::vector<uint64_t>>(number));
  const bool is_equal = rc::check("product and model agree", [&] {
    const Opening opening = Opening::draw(*number);
    const std::vector<uint64_t> trial = *words;
    const Outcome outcome = run(opening, trial);
    operations += outcome.operations;
    packets += outcome.packets;
    if (outcome.difference) RC_FAIL(describe(opening, trial));
  });
  EXPECT_TRUE(is_equal);
  std::cout << operations << " operations, " << packets << " packets\n";
}

TEST(ModelsControlLaw, IsExact) {
  EXPECT_TRUE(control_law(0, 100'000'000, 1) == 100'000'000);
  EXPECT_TRUE(control_law(5, 100'000'000, 4) == 50'000'005);
  EXPECT_TRUE(control_law(0, 100'000'000, 2) == 70'710'678);
  EXPECT_TRUE(control_law(0, 100'000'000, 1'000'000) == 100'000);
}

}  // namespace
}  // namespace sojourn::model

// libFuzzer: any bytes at all as operations on the scheduler and on its model, which must agree after each. Two bytes
// open the trial, three are an operation.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/sched/model/trial.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sojourn::model;
  if (size < 2) return 0;
  const Opening opening = Opening::draw(uint64_t{data[0]} << 8 | data[1]);
  std::vector<uint64_t> operations;
  for (size_t i = 2; i + 3 <= size; i += 3) {
    operations.push_back(uint64_t{data[i]} << 16 | uint64_t{data[i + 1]} << 8 | data[i + 2]);
  }
  const Outcome outcome = run(opening, operations);
  if (!outcome.difference) return 0;
  std::fputs(describe(opening, operations).c_str(), stderr);
  std::abort();
}

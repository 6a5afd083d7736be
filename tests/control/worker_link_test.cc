// The control thread's end of the mailbox, with a worker that the test plays.
#include "control/worker_link.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace sojourn {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kNone{0}, kLong{60'000};

std::optional<Request> next_request(Mailbox& mailbox) {
  Request r;
  return mailbox.requests.pop(r) ? std::optional(r) : std::nullopt;
}

void answer(Mailbox& mailbox, const Request& r, uint64_t passes) {
  if (r.snapshot != nullptr) r.snapshot->passes = passes;
  mailbox.acknowledgements.push({r.number});
}

// A worker that answers each of `count` requests with the next number of passes.
std::jthread worker(Mailbox& mailbox, uint64_t first, unsigned count) {
  return std::jthread([&mailbox, first, count](const std::stop_token& stop) {
    for (uint64_t passes = first; passes < first + count && !stop.stop_requested();) {
      if (const auto r = next_request(mailbox)) answer(mailbox, *r, passes++);
      std::this_thread::yield();
    }
  });
}

TEST(WorkerLink, BringsASnapshotOfTheRightSize) {
  Mailbox mailbox;
  WorkerLink link(mailbox, 4, 2);
  const auto thread = worker(mailbox, 1, 3);
  for (uint64_t i = 1; i <= 3; ++i) {
    const WorkerSnapshot* s = link.snapshot(kLong);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(s->passes, i);
    EXPECT_EQ(s->directions.size(), 4u);
    EXPECT_EQ(s->labs.size(), 2u);
  }
}

TEST(WorkerLink, DoesNotWaitForeverForAWorkerThatDoesNotAnswer) {
  Mailbox mailbox;
  WorkerLink link(mailbox, 2, 0);
  EXPECT_EQ(link.snapshot(milliseconds(20)), nullptr);
}

// However often it is asked, one request is out: the worker has one piece of memory to write to.
TEST(WorkerLink, AsksOnceUntilItIsAnswered) {
  Mailbox mailbox;
  WorkerLink link(mailbox, 2, 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(link.snapshot(kNone), nullptr);
  EXPECT_TRUE(next_request(mailbox));
  EXPECT_FALSE(next_request(mailbox));
}

// The late answer is of the time of the late answer; who asks now wants to know of now.
TEST(WorkerLink, ALateAnswerIsAbsorbedAndNotTakenForAFreshOne) {
  Mailbox mailbox;
  WorkerLink link(mailbox, 2, 0);
  ASSERT_EQ(link.snapshot(kNone), nullptr);
  const auto late = next_request(mailbox);
  ASSERT_TRUE(late);
  answer(mailbox, *late, 1);
  const auto thread = worker(mailbox, 2, 1);
  const WorkerSnapshot* s = link.snapshot(kLong);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(s->passes, 2u);
}

TEST(WorkerLink, StopReachesAWorkerThatOwesAnAnswer) {
  Mailbox mailbox;
  WorkerLink link(mailbox, 2, 0);
  ASSERT_EQ(link.snapshot(kNone), nullptr);
  EXPECT_TRUE(link.stop());
  EXPECT_EQ(next_request(mailbox)->kind, Request::Kind::kSnapshot);
  const auto stop = next_request(mailbox);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->kind, Request::Kind::kStop);
  EXPECT_EQ(stop->snapshot, nullptr);
}

// A worker that has stopped answers no more: what is in memory is of before, and is not handed out as if it were new.
TEST(WorkerLink, ASnapshotAfterTheStopIsNoAnswer) {
  Mailbox mailbox;
  WorkerLink link(mailbox, 2, 0);
  ASSERT_TRUE(link.stop());
  answer(mailbox, *next_request(mailbox), 0);
  EXPECT_EQ(link.snapshot(milliseconds(20)), nullptr);
}

}  // namespace
}  // namespace sojourn

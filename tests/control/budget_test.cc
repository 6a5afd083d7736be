#include "control/budget.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sched/plan.h"

namespace sojourn {
namespace {

constexpr uint32_t kBuffer = 2432;  // bytes, near what a buffer for an MTU of 1500 takes

Config example(const std::string& name) {
  Result result = load(std::string(SOJOURN_SOURCE_DIR) + "/examples/" + name);
  EXPECT_TRUE(result.ok()) << name;
  return result.config;
}

// 32 MB are 13797 buffers: the limit of 10240 packets is the smaller one.
TEST(Budget, OfTheGateway) {
  const Budget b = budget_of(example("gateway.conf"), kBuffer);
  EXPECT_EQ(b.scheduler_packets, 2u * (10'240 + 1));
  EXPECT_EQ(b.lab_packets, 0u);
  EXPECT_EQ(b.ring_packets, 2u * (1024 + 512 + 4096 + 2048));  // AF_XDP has rings of its own
  EXPECT_EQ(b.core_packets, 2u * 2 * 32 + 2 * 384);
  EXPECT_EQ(b.packets(), b.scheduler_packets + b.ring_packets + b.core_packets);
}

TEST(Budget, OfTheEdge) {
  const Budget b = budget_of(example("edge.conf"), kBuffer);
  EXPECT_EQ(b.scheduler_packets, 65'536u + 1 + 10'240 + 1);
  EXPECT_EQ(b.ring_packets, 2u * (1024 + 512));
}

TEST(Budget, OfTheLab) {
  const Budget b = budget_of(example("lab.conf"), kBuffer);
  EXPECT_EQ(b.lab_packets, (3'375'000u / 256 + 16'384) + (1000 + 16'384));
  EXPECT_EQ(b.ring_packets, 2u * (1024 + 512));
}

// The memory limit counts buffers where it is the smaller one, as the plan does.
TEST(Budget, HoldsWhatThePlanAllows) {
  Config c = example("gateway.conf");
  for (const uint64_t memory : {limits::kMemoryBytes.least, uint64_t{1} << 20, limits::kMemoryBytes.most}) {
    for (const uint32_t limit : {limits::kLimitPackets.least, 1000u, limits::kLimitPackets.most}) {
      Parameters& p = c.wires[0].egress.parameters;
      p.memory_bytes = memory;
      p.limit_packets = limit;
      c.wires[0].ingress.parameters = p;
      const Plan plan = compile(p, 1500, kBuffer);
      const uint64_t queued = std::min<uint64_t>(plan.limit_packets, plan.limit_buffers) + 1;  // one before it is seen
      EXPECT_EQ(budget_of(c, kBuffer).scheduler_packets, 2 * queued);
    }
  }
}

// As much as a configuration can list, every limit at its end: the count of buffers does not wrap.
TEST(Budget, OfAConfigurationAtItsLimits) {
  Config c;
  LabPathConfig lab;
  lab.buffer = {.bytes = uint64_t{4} << 30, .packets = 0};
  WireConfig wire;
  wire.egress.parameters.limit_packets = limits::kLimitPackets.most;
  wire.egress.parameters.memory_bytes = limits::kMemoryBytes.most;
  wire.ingress = wire.egress;
  c.wires.assign(512, wire);
  PortConfig port;
  port.device = "net_af_xdp0,iface=eth0";
  c.ports.assign(1024, port);
  c.lab.assign(1024, lab);
  const Budget b = budget_of(c, 1024);
  EXPECT_EQ(b.scheduler_packets, 1024 * ((uint64_t{1} << 22) + 1));
  EXPECT_EQ(b.lab_packets, 1024 * ((uint64_t{1} << 24) + 16'384));
  EXPECT_GT(b.packets(), uint64_t{UINT32_MAX});
  EXPECT_GT(environment_bytes(b, 1024, c.ports.size()), b.packets() * 1024);
}

TEST(Budget, ALabPathCanBeMadeForEveryBuffer) {
  LabPathConfig lab;
  for (const LabBuffer& buffer : {LabBuffer{.bytes = uint64_t{4} << 30, .packets = 0}, LabBuffer{.packets = 1u << 22},
                                  LabBuffer{.bytes = 64, .packets = 0}, LabBuffer{.packets = 1}}) {
    lab.buffer = buffer;
    const uint32_t places = lab_capacity_packets(lab);
    EXPECT_GE(places, buffer.packets + 16'384);
    EXPECT_LE(places, 1u << 30);  // LabPath takes no more
  }
}

TEST(Budget, AFullLabBufferLeavesRoomForWhatIsOnItsWay) {
  LabPathConfig lab;
  lab.buffer = {.packets = 1};
  const double frames = 1e9 / 8 / 1514 * 0.1;  // 1 Gbit/s of full frames, 100 ms
  EXPECT_GT(lab_capacity_packets(lab), frames);
}

TEST(Environment, HasRoomForBuffersAndPorts) {
  Budget b;
  b.scheduler_packets = 1000;
  EXPECT_EQ(environment_bytes(b, 2432, 0), 1000u * (2432 + 16) * 5 / 4 + (32u << 20));
  EXPECT_EQ(environment_bytes(b, 2432, 3) - environment_bytes(b, 2432, 2), 4u << 20);
}

}  // namespace
}  // namespace sojourn

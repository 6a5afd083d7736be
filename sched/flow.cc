#include "sched/flow.h"

namespace sojourn {

ChunkPool::ChunkPool(uint32_t chunks, std::pmr::memory_resource* memory)
    : chunks_(chunks, memory), next_(chunks, memory) {
  for (uint32_t i = chunks; i-- > 0;) give_back(i);
}

}  // namespace sojourn

// SPDX-License-Identifier: Apache-2.0
/// \file What only runs with reliable messages have.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/delivery/message.h"

namespace polycast::tlm::sim {

struct reliable_part {
    std::uint32_t timeout = 0;                        ///< cycles, the first one of each message
    std::vector<hw::traffic::send_end> failed_sends;  ///< the first ones
};

}  // namespace polycast::tlm::sim

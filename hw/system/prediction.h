// SPDX-License-Identifier: Apache-2.0
/// \file The latency of one multicast in an otherwise empty network, worked out from its plan and the costs of hosts
/// and interfaces, without simulating a flit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/collectives/multicast_plan.h"
#include "hw/delivery/message.h"
#include "hw/engine/chip.h"
#include "hw/system/plan.h"

namespace polycast::hw::system {

struct prediction {
    engine::cycle latency = 0;             ///< from the send call of the source until the last host has it, t_hr paid
    std::vector<engine::cycle> delivered;  ///< [participant of the plan] the same for each; 0 for the source
};

/// The times of a multicast of `bytes` bytes, from: t_hs and t_hr on host processors that serve in order (for each
/// message or packet); transfers on I/O buses that serve in order; interface processors that run the native firmware
/// in its order of work (firmware_times; ended transfers, copies, arrivals, then new transfers, at most four own
/// packets at a time), in one time line or two; one packet after the other on hosts' links; and the switches' delays
/// along the routes that an empty network would choose.
///
/// The prediction leaves out packets that wait for each other inside the network, arbitration of the I/O bus other than
/// `fifo`, limits of queues, packet memory and tables, and fewer read ports than outputs. If none of these occurs, it
/// is exact.
///
/// `multicast` must be a plan for the network of `plan`; `how`: who carries out the sends of those who are not the
/// source.
prediction predict(const system_plan& plan, const collectives::multicast_plan& multicast, traffic::forwarding how,
                   std::uint32_t bytes);

/// The k of 1..ceil(log2 n) for which the k-binomial tree along `chain` (n hosts, the source first) has the lowest
/// predicted latency; the largest of several equal ones.
unsigned best_k_by_timing(const system_plan& plan, std::span<const std::uint32_t> chain, traffic::forwarding how,
                          std::uint32_t bytes);

}  // namespace polycast::hw::system

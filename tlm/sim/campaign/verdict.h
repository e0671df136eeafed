// SPDX-License-Identifier: Apache-2.0
/// \file What became of a fault: outcome, and when something noticed it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "hw/engine/network.h"
#include "tlm/sim/campaign/fault_draw.h"
#include "tlm/sim/campaign/golden_run.h"
#include "tlm/workloads/run_result.h"

namespace polycast::tlm::sim {

/// The first that applies. `broken` is no outcome of the network: a model ended the run by an assertion.
enum class fault_outcome : std::uint8_t { broken, silent, hung, reported, end_to_end, by_link, masked };
inline constexpr std::array<std::string_view, 7> outcome_names = {"broken",     "silent",  "hung",  "reported",
                                                                  "end_to_end", "by_link", "masked"};

struct fault_verdict {
    fault_outcome outcome = fault_outcome::masked;
    bool same = false;  ///< all was delivered when it is without the fault
    /// From the fault to the last message that was delivered in another cycle than without it; nothing: none was.
    std::optional<hw::engine::cycle> recovery{};
};

fault_verdict judge_fault(const golden_run& golden, const run_result& result, const drawn_fault& fault);

/// Looks for the first sign of a fault: an error pin, a link end that finds something wrong, an interface that drops a
/// packet or starts anew.
class notice_watch final : public hw::engine::observer {
public:
    /// `fault` outlives it.
    explicit notice_watch(const drawn_fault& fault) : fault_(fault) {}

    void stepped(hw::engine::chip_id id, hw::engine::cycle now, const hw::engine::pins& in, const hw::engine::pins& out,
                 const hw::engine::chip& chip) override;

    /// Cycles from the fault on; nothing: nobody noticed.
    std::optional<hw::engine::cycle> latency() const;

private:
    bool notices(hw::engine::chip_id id, const hw::engine::chip& chip);

    const drawn_fault& fault_;
    std::optional<hw::engine::cycle> noticed_;
};

/// Of all that both ends count: what does not happen without faults.
std::uint64_t link_alarms(const hw::chips::cable_report& cable);

}  // namespace polycast::tlm::sim

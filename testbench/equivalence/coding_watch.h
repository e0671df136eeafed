// SPDX-License-Identifier: Apache-2.0
/// \file What a run of an XOR coding unit came across, so that a comparison that never came to a case is noticed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hw/chips/coding/coding_config.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// Reads along on the pins of one unit whose contexts have the groups that draw_coding_run() gives them.
class coding_watch final : public traffic_watch {
public:
    coding_watch(const hw::chips::coding_params& params, const hw::chips::coding_registers& registers);

    void reset() override;
    void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
             const hw::engine::chip_probe& after) override;
    std::map<std::string, std::uint64_t> counted() const override { return counts_; }

private:
    /// What the results of a context were.
    struct context_log {
        std::optional<unsigned> last;  ///< index
        std::set<unsigned> round;      ///< indices since the first came again
        unsigned copies = 0;           ///< of the last
    };

    void came_in(const hw::engine::pins& in);
    void event(const hw::engine::chip_event& what);
    void result(const std::vector<std::uint8_t>& packet);
    std::vector<std::uint8_t> transport(const std::vector<std::uint8_t>& packet) const;
    void met(const std::string& what);

    hw::chips::coding_params params_;
    hw::chips::coding_registers registers_;
    std::vector<std::vector<std::uint8_t>> incoming_;  ///< [vc] free header, flits
    std::vector<std::uint8_t> outgoing_;
    std::vector<context_log> contexts_;
    std::optional<unsigned> last_context_;
    std::uint64_t sent_in_ = 0;  ///< VCs
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace polycast::testbench::equivalence

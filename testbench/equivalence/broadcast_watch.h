// SPDX-License-Identifier: Apache-2.0
/// \file What a run of a broadcast router came across, so that a comparison that never came to a case is noticed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hw/chips/broadcast/broadcast_config.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// Reads along on the pins and the state of one broadcast router with an open port. The cases are those of the unit and
/// of the merge.
class broadcast_watch final : public traffic_watch {
public:
    broadcast_watch(const hw::chips::broadcast_params& params, const hw::chips::broadcast_registers& registers);

    void reset() override;
    void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
             const hw::engine::chip_probe& after) override;
    std::map<std::string, std::uint64_t> counted() const override { return counts_; }

private:
    void events(const hw::engine::pins& out, const hw::engine::chip_probe& before);
    void came_in(const hw::engine::pins& in, const hw::engine::chip_probe& before);
    void sent(const hw::engine::pins& out, const hw::engine::chip_probe& before, const hw::engine::chip_probe& after);
    void head_left(unsigned port, const hw::engine::pins& out);
    void host(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
              const hw::engine::chip_probe& after);
    void sides(const hw::engine::pins& in, const hw::engine::pins& out);
    void met(const std::string& what);
    void met_if(bool so, const std::string& what) {
        if (so) met(what);
    }
    bool of_unit(unsigned port, std::uint64_t set, const std::vector<std::uint8_t>& vcs) const;
    bool is_ours(unsigned port) const;
    unsigned entry(unsigned port) const;

    hw::chips::broadcast_params params_;
    hw::chips::broadcast_registers registers_;
    unsigned host_;
    hw::engine::side_state shown_;
    std::uint64_t rounds_ = 0;  ///< that ended
    std::vector<hw::engine::side_state> neighbours_;
    std::vector<unsigned> left_;  ///< [port] packets of the round
    unsigned owed_ = 0;           ///< credits of the injection buffer
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace polycast::testbench::equivalence

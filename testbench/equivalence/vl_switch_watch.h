// SPDX-License-Identifier: Apache-2.0
/// \file What a run of a VL switch came across, so that a comparison that never came to a case is noticed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/chips/vl_switch/vl_switch_config.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// Reads along on the pins of one switch.
class vl_switch_watch final : public traffic_watch {
public:
    vl_switch_watch(const hw::chips::vl_switch_params& params, const hw::chips::vl_switch_tables& tables);

    void reset() override;
    void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
             const hw::engine::chip_probe& after) override;
    std::map<std::string, std::uint64_t> counted() const override { return counts_; }

private:
    void outputs(const hw::engine::pins& out, const hw::engine::chip_probe& before);
    void lanes(const hw::engine::pins& out, const hw::engine::chip_probe& before, const hw::engine::chip_probe& after);
    void met(const char* what, bool yes = true) { counts_[what] += yes ? 1 : 0; }

    hw::chips::vl_switch_params params_;
    hw::chips::vl_switch_tables tables_;
    std::vector<int> last_vl_;  ///< [port] of the packet that left last; -1: none yet
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace polycast::testbench::equivalence

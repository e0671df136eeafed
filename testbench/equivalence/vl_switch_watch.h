// SPDX-License-Identifier: Apache-2.0
/// \file What a run of a VL switch came across, so that a comparison that never came to a case is noticed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hw/chips/vl_switch/vl_switch_config.h"
#include "testbench/equivalence/held_packets.h"
#include "testbench/equivalence/lockstep.h"

namespace polycast::testbench::equivalence {

/// Reads along on the pins and the state of one switch. Knows what is decided from the state, and what about from the
/// header.
class vl_switch_watch final : public traffic_watch {
public:
    vl_switch_watch(const hw::chips::vl_switch_params& params, hw::chips::vl_switch_tables tables);

    void reset() override;
    void see(const hw::engine::pins& in, const hw::engine::pins& out, const hw::engine::chip_probe& before,
             const hw::engine::chip_probe& after) override;
    std::map<std::string, std::uint64_t> counted() const override { return counts_; }

private:
    void arrive(unsigned port, const hw::engine::pins& in, const hw::engine::pins& out);
    unsigned free(unsigned lane, const hw::engine::chip_probe& before, const hw::engine::chip_probe& after);
    void credits(unsigned port, const std::vector<unsigned>& freed, const hw::engine::pins& out);
    void decided(unsigned port, const held_packets::packet& front, std::uint64_t branches);
    std::uint64_t unicast(unsigned port, unsigned dlid);
    std::uint64_t multicast(unsigned port, unsigned dlid);
    void lost(const hw::engine::pins& out, const hw::engine::chip_probe& before, const hw::engine::chip_probe& after);
    void grants(const hw::engine::chip_probe& before, const hw::engine::chip_probe& after);
    void granted(unsigned port, unsigned vl, unsigned wanted);
    unsigned vl_of(unsigned lane, unsigned output);
    bool open(unsigned port) const;
    void met(const std::string& what) { ++counts_.at(what); }

    hw::chips::vl_switch_params params_;
    hw::chips::vl_switch_tables tables_;
    held_packets packets_;
    std::vector<unsigned> taken_;  ///< [lane] chunks by the flit of this cycle
    std::vector<unsigned> owed_;   ///< [lane] credits
    std::vector<unsigned> begun_;  ///< [port] lanes whose packet has come in part, as a mask
    std::map<std::string, std::uint64_t> counts_;
};

}  // namespace polycast::testbench::equivalence

// SPDX-License-Identifier: Apache-2.0
/// \file A sender and a receiver on every lane of every port of a VL switch.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/equivalence/link_stimulus.h"
#include "testbench/equivalence/vl_switch_run.h"

namespace polycast::testbench::equivalence {

/// Sends packets to LIDs and groups that the tables of a run know, mostly.
class vl_switch_stimulus final : public link_stimulus {
public:
    explicit vl_switch_stimulus(const vl_switch_run& run);

private:
    std::vector<std::uint8_t> make_header(unsigned port) override;
    unsigned header_flits(const std::vector<std::uint8_t>& header) const override;
    void spoil_kind(std::uint8_t* header) override;
    void spoil_destination(std::uint8_t* header, std::size_t bytes) override;
    std::uint32_t draw_dlid();

    vl_switch_run run_;
    std::vector<std::uint32_t> targets_;  ///< all without any
};

}  // namespace polycast::testbench::equivalence

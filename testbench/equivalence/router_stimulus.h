// SPDX-License-Identifier: Apache-2.0
/// \file Traffic of a router: unicasts and broadcasts as meshes and tori have them, and others.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/equivalence/router_run.h"

namespace polycast::testbench::equivalence {

class router_stimulus final : public link_stimulus {
public:
    explicit router_stimulus(const router_run& run);

protected:
    std::vector<std::uint8_t> make_header(unsigned port) override;
    unsigned header_flits(const std::vector<std::uint8_t>& header) const override;
    void spoil_kind(std::uint8_t* header) override;
    void spoil_destination(std::uint8_t* header, std::size_t bytes) override;

private:
    std::uint32_t draw_destination();
    std::uint32_t draw_source(unsigned port);

    router_run run_;
    std::vector<std::uint32_t> targets_;  ///< the only destinations; none: all
};

}  // namespace polycast::testbench::equivalence

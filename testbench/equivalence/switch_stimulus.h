// SPDX-License-Identifier: Apache-2.0
/// \file Traffic of a switch: packets of all kinds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/format/route.h"
#include "testbench/equivalence/switch_run.h"

namespace polycast::testbench::equivalence {

class switch_stimulus final : public link_stimulus {
public:
    explicit switch_stimulus(const switch_run& run);

protected:
    std::vector<std::uint8_t> make_header(unsigned port) override;
    unsigned header_flits(const std::vector<std::uint8_t>& header) const override;
    void spoil_kind(std::uint8_t* header) override;
    void spoil_destination(std::uint8_t* header, std::size_t bytes) override;

private:
    void fill_string(std::vector<std::uint8_t>& header);
    void fill_path(std::vector<std::uint8_t>& header, unsigned port);
    hw::format::stop draw_stop(bool up, bool here);
    void put_stop(std::vector<std::uint8_t>& header, const hw::format::stop& where) const;
    unsigned flits_of_header(std::size_t bytes) const;

    switch_run run_;
    std::array<std::vector<unsigned>, 2> reachable_;  ///< [up bit] switches to which a port leads
};

}  // namespace polycast::testbench::equivalence

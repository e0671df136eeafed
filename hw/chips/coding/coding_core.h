// SPDX-License-Identifier: Apache-2.0
/// \file The XOR coding unit as a cycle-exact C++ model. hw/chips/coding/coding_unit.md is its contract.
#pragma once

#include <cstdint>
#include <vector>

#include "hw/chips/coding/coding_config.h"
#include "hw/chips/coding/coding_unit.h"
#include "hw/chips/vc_framing.h"
#include "hw/engine/chip.h"

namespace polycast::hw::chips {

/// A chip with one port that XORs operands of equal length and sends the results. Formats: hw/format/packet.yaml.
///
/// Framing, bytes, check words and pins are here; operands, contexts and flow control are coding_unit's. A unit in
/// which everything is stalled reports this, and is not stepped until something arrives or a context runs out of
/// patience.
class coding_core final : public engine::chip {
public:
    /// \throws input_error as checked() does
    coding_core(const coding_params& params, const coding_registers& registers);

    const engine::pin_shape& shape() const override { return shape_; }
    void reset() override;
    engine::cycle step(engine::cycle now, const engine::pins& in, engine::pins& out) override;
    bool idle() const override;
    void probe(engine::chip_probe& probe) const override;

    const coding_params& params() const { return unit_.params(); }
    const coding_registers& registers() const { return unit_.registers(); }

    /// Pairs that were coded since reset.
    std::uint64_t pairs() const { return unit_.pairs(); }
    /// Counts: pairs().
    engine::chip_report report() const override;

    /// Bytes that this object holds, itself included.
    std::size_t memory_bytes() const;

private:
    /// State of a packet besides its bytes.
    struct slot_header {
        std::uint32_t flits = 0;  ///< that arrived, without header flits
        unsigned header_flits = 0;
        std::uint32_t check = 0;  ///< if the header is free
    };
    struct byte_store;

    void write(const engine::pins& in, std::uint32_t freed, engine::pins& out);
    void build(const coding_packet& packet, std::vector<std::uint8_t>& bytes);
    std::uint8_t* kept(unsigned slot);
    std::uint8_t* stored(unsigned slot);
    std::uint8_t* payload(unsigned slot);

    coding_unit unit_;
    engine::pin_shape shape_;
    std::vector<vc_framing> framing_;         ///< [vc]
    std::vector<std::uint8_t> buffers_;       ///< [vc][place][byte]
    std::vector<std::uint8_t> free_headers_;  ///< [vc][place][byte] if the header is free
    std::vector<slot_header> headers_;        ///< [slot]
    std::vector<std::uint8_t> kept_;          ///< [slot][byte] unicast header and transport header, as they arrived
    std::vector<std::uint8_t> store_;         ///< [slot][byte] flits, without header flits
    std::vector<std::vector<std::uint8_t>> sent_;  ///< [handle] packets that are leaving: header pins, flits
    std::vector<std::uint32_t> unsent_;            ///< handles of no packet
    bool outputs_quiet_ = true;
};

}  // namespace polycast::hw::chips

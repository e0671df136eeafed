// SPDX-License-Identifier: Apache-2.0
/// \file Traffic of an XOR coding unit: rounds of operands in any order, with some that are wrong or missing.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/equivalence/coding_run.h"

namespace polycast::testbench::equivalence {

class coding_stimulus final : public link_stimulus {
public:
    explicit coding_stimulus(const coding_run& run);

    void see(const hw::engine::pins& out) override;

protected:
    bool may_begin() override;
    std::vector<std::uint8_t> make_header(unsigned port) override;
    unsigned header_flits(const std::vector<std::uint8_t>& header) const override;
    void spoil_kind(std::uint8_t* header) override;
    void spoil_destination(std::uint8_t* header, std::size_t bytes) override;
    void finish_packet(std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& header, unsigned& flits) override;

private:
    /// A context whose operands are being sent.
    struct round {
        std::uint16_t context = 0;
        std::uint16_t length = 0;
        std::vector<std::uint32_t> tags;  ///< still to be sent
        std::uint64_t from = 0;           ///< cycle
    };
    /// What a packet says of itself.
    struct operand {
        std::uint16_t context = 0;
        std::uint16_t length = 1;
        std::uint32_t tag = 0;
    };

    void open_round(round& next);
    std::uint16_t draw_length();
    operand next_operand();
    operand any_operand();

    coding_run run_;
    std::vector<round> rounds_;
    std::vector<std::uint16_t> usable_;  ///< contexts
    unsigned longest_ = 0;               ///< payload of an operand that fits
    round* ready_ = nullptr;             ///< the next operand is of it
    std::uint64_t now_ = 0;
};

}  // namespace polycast::testbench::equivalence
